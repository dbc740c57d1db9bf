// Storage: units bought on the settlement chain and claimed here with attestations.
import { fileDesc, messageDesc } from "@bufbuild/protobuf/codegenv2";
/**
 * Describes the file makechain/storage.proto.
 */
export const file_makechain_storage = /*@__PURE__*/ fileDesc("ChdtYWtlY2hhaW4vc3RvcmFnZS5wcm90bxIJbWFrZWNoYWluIt0BChBTdG9yYWdlQ2xhaW1Cb2R5Eg0KBXVuaXRzGAEgASgNEhoKEnNldHRsZW1lbnRfdHhfaGFzaBgCIAEoDBIbChNzZXR0bGVtZW50X2NoYWluX2lkGAMgASgEEhwKFHNldHRsZW1lbnRfbG9nX2luZGV4GAQgASgNEg0KBWFjdG9yGAUgASgMEhwKFHNldHRsZW1lbnRfdGltZXN0YW1wGGQgASgEEjYKDGF0dGVzdGF0aW9ucxhlIAMoCzIgLm1ha2VjaGFpbi5TZXR0bGVtZW50QXR0ZXN0YXRpb24iPAoVU2V0dGxlbWVudEF0dGVzdGF0aW9uEhAKCGF0dGVzdGVyGAEgASgMEhEKCXNpZ25hdHVyZRgCIAEoDEIlWiNtYWtlY2hhaW4vZ2VuL21ha2VjaGFpbjttYWtlY2hhaW5wYmIGcHJvdG8z");
/**
 * Describes the message makechain.StorageClaimBody.
 * Use `create(StorageClaimBodySchema)` to create a new message.
 */
export const StorageClaimBodySchema = /*@__PURE__*/ messageDesc(file_makechain_storage, 0);
/**
 * Describes the message makechain.SettlementAttestation.
 * Use `create(SettlementAttestationSchema)` to create a new message.
 */
export const SettlementAttestationSchema = /*@__PURE__*/ messageDesc(file_makechain_storage, 1);
