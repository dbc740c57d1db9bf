/** Step is one check of a proof, in the order in which they were made. */
export interface Step {
  /** A name as in docs: "key", "path", "root", "header", "validators", "signatures", "object". */
  readonly name: string;
  /** What was compared, as a sentence. */
  readonly detail: string;
}

/** Evidence is why a value is proven. */
export interface Evidence {
  readonly chainId: string;
  /** The block whose state contains the value. */
  readonly block: bigint;
  /** The time of the header that certifies the state. */
  readonly time: Date;
  /** The root of the state. */
  readonly root: Uint8Array;
  /** Validators whose signatures were verified, until they had more than two thirds of the power; all validators; their powers. */
  readonly signatures: { readonly signed: number; readonly validators: number; readonly power: bigint; readonly totalPower: bigint };
  readonly steps: readonly Step[];
}

/** Proven is a value with its evidence. */
export interface Proven<T> {
  readonly value: T;
  readonly evidence: Evidence;
}

/** ProofError means that an answer of a node is not what the validators signed. Its name is "ProofError". */
export class ProofError extends Error {
  constructor(
    /** The step that failed, after the part of the proof in which it did: "signatures", "row 3: order". */
    readonly step: string,
    /** Why it failed. */
    readonly reason: string,
    /** The steps before it, which passed. */
    readonly passed: readonly Step[] = [],
  ) {
    super(`${step}: ${reason}`);
    this.name = "ProofError";
  }
}
