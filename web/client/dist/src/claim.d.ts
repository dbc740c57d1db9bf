import { Network, VerificationType } from "../gen/schema.js";
/** ethClaim returns the EIP-712 typed data that a wallet signs to claim an Ethereum address (eth_signTypedData_v4). */
export declare function ethClaim(network: Network, owner: Uint8Array, address: Uint8Array): {
    readonly types: {
        readonly EIP712Domain: readonly [{
            readonly name: "name";
            readonly type: "string";
        }, {
            readonly name: "version";
            readonly type: "string";
        }, {
            readonly name: "chainId";
            readonly type: "uint256";
        }];
        readonly VerificationClaim: readonly [{
            readonly name: "owner";
            readonly type: "address";
        }, {
            readonly name: "ethAddress";
            readonly type: "address";
        }, {
            readonly name: "chainId";
            readonly type: "uint256";
        }, {
            readonly name: "verificationType";
            readonly type: "uint32";
        }, {
            readonly name: "network";
            readonly type: "string";
        }];
    };
    readonly primaryType: "VerificationClaim";
    readonly domain: {
        readonly name: "Makechain";
        readonly version: "1";
        readonly chainId: string;
    };
    readonly message: {
        readonly owner: `0x${string}`;
        readonly ethAddress: `0x${string}`;
        readonly chainId: string;
        readonly verificationType: VerificationType.ETH_ADDRESS;
        readonly network: string;
    };
};
/** ethClaimDigest returns the EIP-712 hash of a claim. */
export declare function ethClaimDigest(network: Network, owner: Uint8Array, address: Uint8Array): Uint8Array;
/** hostChainId returns the id of the chain to which the addresses of Ethereum claims belong. */
export declare function hostChainId(network: Network): bigint;
/** solClaimText returns the text that a Solana key signs to claim that it belongs to an account. */
export declare function solClaimText(network: Network, owner: Uint8Array): string;
