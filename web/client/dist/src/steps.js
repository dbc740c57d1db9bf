// Steps of a verification: those that passed are part of the evidence, the one that failed is named by the error.
import { ProofError } from "./evidence.js";
import { WireError } from "./wire.js";
/** failed returns the error of a step. */
export function failed(step, message) {
    return new ProofError(step, message);
}
/** within calls verify and adds the part of a larger proof to the step that fails. */
export function within(part, verify) {
    try {
        return verify();
    }
    catch (error) {
        if (error instanceof ProofError)
            throw new ProofError(`${part}: ${error.step}`, error.reason, error.passed);
        throw error;
    }
}
/** decoding calls decode, whose errors mean that bytes have a wrong encoding. */
export function decoding(decode) {
    try {
        return decode();
    }
    catch (error) {
        if (error instanceof WireError || error instanceof TypeError)
            throw failed("encoding", error.message);
        throw error;
    }
}
/** after calls verify; an error also has the steps that passed before. */
export function after(passed, verify) {
    try {
        return verify();
    }
    catch (error) {
        if (error instanceof ProofError)
            throw new ProofError(error.step, error.reason, [...passed, ...error.passed]);
        throw error;
    }
}
