// The devnet faucet. It exists on DEVNET only.
import { fileDesc, messageDesc, serviceDesc } from "@bufbuild/protobuf/codegenv2";
/**
 * Describes the file makechain/dev/faucet.proto.
 */
export const file_makechain_dev_faucet = /*@__PURE__*/ fileDesc("ChptYWtlY2hhaW4vZGV2L2ZhdWNldC5wcm90bxINbWFrZWNoYWluLmRldiI0CgxDbGFpbVJlcXVlc3QSFQoNb3duZXJfYWRkcmVzcxgBIAEoDBINCgV1bml0cxgCIAEoDSIdCg1DbGFpbVJlc3BvbnNlEgwKBGhhc2gYASABKAwyUwoNRmF1Y2V0U2VydmljZRJCCgVDbGFpbRIbLm1ha2VjaGFpbi5kZXYuQ2xhaW1SZXF1ZXN0GhwubWFrZWNoYWluLmRldi5DbGFpbVJlc3BvbnNlQiNaIW1ha2VjaGFpbi9nZW4vbWFrZWNoYWluL2RldjtkZXZwYmIGcHJvdG8z");
/**
 * Describes the message makechain.dev.ClaimRequest.
 * Use `create(ClaimRequestSchema)` to create a new message.
 */
export const ClaimRequestSchema = /*@__PURE__*/ messageDesc(file_makechain_dev_faucet, 0);
/**
 * Describes the message makechain.dev.ClaimResponse.
 * Use `create(ClaimResponseSchema)` to create a new message.
 */
export const ClaimResponseSchema = /*@__PURE__*/ messageDesc(file_makechain_dev_faucet, 1);
/**
 * FaucetService grants storage on a development chain.
 *
 * @generated from service makechain.dev.FaucetService
 */
export const FaucetService = /*@__PURE__*/ serviceDesc(file_makechain_dev_faucet, 0);
