// Claims that an address of another chain belongs to an account (docs/spec/protocol.md P9.10).
import { keccak_256 } from "@noble/hashes/sha3.js";
import { Network, VerificationType } from "../gen/schema.js";
import { bigEndian, concat, hex, utf8 } from "./bytes.js";
const names = { [Network.MAINNET]: "mainnet", [Network.TESTNET]: "testnet", [Network.DEVNET]: "devnet" };
const mainnetChain = 4217n;
const testnetChain = 42431n;
const domain = [
    { name: "name", type: "string" },
    { name: "version", type: "string" },
    { name: "chainId", type: "uint256" },
];
const claim = [
    { name: "owner", type: "address" },
    { name: "ethAddress", type: "address" },
    { name: "chainId", type: "uint256" },
    { name: "verificationType", type: "uint32" },
    { name: "network", type: "string" },
];
/** ethClaim returns the EIP-712 typed data that a wallet signs to claim an Ethereum address (eth_signTypedData_v4). */
export function ethClaim(network, owner, address) {
    const chainId = hostChainId(network).toString();
    return {
        types: { EIP712Domain: domain, VerificationClaim: claim },
        primaryType: "VerificationClaim",
        domain: { name: "Makechain", version: "1", chainId },
        message: {
            owner: `0x${hex(owner)}`,
            ethAddress: `0x${hex(address)}`,
            chainId,
            verificationType: VerificationType.ETH_ADDRESS,
            network: networkName(network),
        },
    };
}
/** ethClaimDigest returns the EIP-712 hash of a claim. */
export function ethClaimDigest(network, owner, address) {
    const chainId = bigEndian(hostChainId(network), 32);
    const text = (value) => keccak_256(utf8(value));
    const word = (value) => concat(new Uint8Array(32 - value.length), value);
    const hash = (name, members, ...words) => keccak_256(concat(text(`${name}(${members.map((member) => `${member.type} ${member.name}`).join(",")})`), ...words));
    return keccak_256(concat(Uint8Array.of(0x19, 0x01), hash("EIP712Domain", domain, text("Makechain"), text("1"), chainId), hash("VerificationClaim", claim, word(owner), word(address), chainId, word(Uint8Array.of(VerificationType.ETH_ADDRESS)), text(networkName(network)))));
}
/** hostChainId returns the id of the chain to which the addresses of Ethereum claims belong. */
export function hostChainId(network) {
    return network === Network.MAINNET ? mainnetChain : testnetChain;
}
/** solClaimText returns the text that a Solana key signs to claim that it belongs to an account. */
export function solClaimText(network, owner) {
    return `makechain:verify:${networkName(network)}:${hex(owner)}`;
}
function networkName(network) {
    const name = names[network];
    if (name === undefined)
        throw new TypeError(`network ${network} has no name`);
    return name;
}
