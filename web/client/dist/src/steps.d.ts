import { ProofError, type Step } from "./evidence.js";
/** failed returns the error of a step. */
export declare function failed(step: string, message: string): ProofError;
/** within calls verify and adds the part of a larger proof to the step that fails. */
export declare function within<T>(part: string, verify: () => T): T;
/** decoding calls decode, whose errors mean that bytes have a wrong encoding. */
export declare function decoding<T>(decode: () => T): T;
/** after calls verify; an error also has the steps that passed before. */
export declare function after<T>(passed: readonly Step[], verify: () => T): T;
