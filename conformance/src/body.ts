// A body under validation: reads fields with their defaults and keeps the first one that is invalid.

import { attempt } from "./attempt.js";
import { type Bytes, fromHex, utf8 } from "./bytes.js";
import type { Fields } from "./canonical.js";
import { isSmallOrder, parse, parseDirect } from "./signatures.js";
import { isText } from "./wire.js";

const maxSignatureSize = 16_384;
const maxWindowSeconds = 3_600;

export class Body {
  broken: string | undefined;

  constructor(
    private readonly fields: Fields,
    readonly owner: string,
    readonly network: number,
  ) {}

  need(field: string, condition: boolean): void {
    if (!condition) this.broken ??= field;
  }

  attempt(field: string, body: () => void): void {
    this.need(field, attempt(() => (body(), true)) === true);
  }

  text(field: string): string {
    return (this.fields[field] ?? "") as string;
  }

  number(field: string): number {
    return Number(this.fields[field] ?? 0);
  }

  flag(field: string): boolean {
    return this.fields[field] === true;
  }

  hexList(field: string): string[] {
    return (this.fields[field] ?? []) as string[];
  }

  bytes(field: string): Bytes {
    return isText(field) ? utf8(this.text(field)) : fromHex(this.text(field));
  }

  size(field: string, least: number, most: number): void {
    const { length } = this.bytes(field);
    this.need(field, length >= least && length <= most);
  }

  hash(field: string): void {
    this.size(field, 32, 32);
  }

  publicKey(field: string): void {
    this.hash(field);
    this.need(field, !isSmallOrder(this.bytes(field)));
  }

  optionalHash(field: string): void {
    if (this.text(field) !== "") this.hash(field);
  }

  address(field: string): void {
    this.size(field, 20, 20);
  }

  enum(field: string, least: number, most: number): void {
    this.need(field, this.number(field) >= least && this.number(field) <= most);
  }

  signature(field: string): void {
    this.size(field, 1, maxSignatureSize);
    this.attempt(field, () => parse(this.bytes(field)));
  }

  directSignature(field: string): void {
    this.size(field, 1, maxSignatureSize);
    this.attempt(field, () => parseDirect(this.bytes(field)));
  }

  // window requires both ends, in order and at most an hour apart (P4.5).
  window(): void {
    const [after, before] = [this.number("valid_after"), this.number("valid_before")];
    this.need("valid_after", after > 0);
    this.need("valid_before", before >= after && before - after <= maxWindowSeconds);
  }

  list(field: string, least: number, most: number, check: (element: Body) => void): void {
    const elements = (this.fields[field] ?? []) as Fields[];
    this.need(field, elements.length >= least && elements.length <= most);
    elements.forEach((element, i) => {
      const body = new Body(element, this.owner, this.network);
      check(body);
      if (body.broken !== undefined) this.need(`${field}[${i}].${body.broken}`, false);
    });
  }
}
