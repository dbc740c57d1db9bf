/** ProofError means that an answer of a node is not what the validators signed. Its name is "ProofError". */
export class ProofError extends Error {
    step;
    reason;
    passed;
    constructor(
    /** The step that failed, after the part of the proof in which it did: "signatures", "row 3: order". */
    step, 
    /** Why it failed. */
    reason, 
    /** The steps before it, which passed. */
    passed = []) {
        super(`${step}: ${reason}`);
        this.step = step;
        this.reason = reason;
        this.passed = passed;
        this.name = "ProofError";
    }
}
