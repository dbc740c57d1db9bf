// Bytes in the notation of the vectors: lower-case hex without a prefix.

export type Bytes = Uint8Array;

export function fromHex(text: string): Bytes {
  if (!/^([0-9a-f]{2})*$/.test(text)) throw new Error(`not lower-case hex: ${text.slice(0, 80)}`);
  return Uint8Array.from(Buffer.from(text, "hex"));
}

export function toHex(bytes: Bytes): string {
  return Buffer.from(bytes).toString("hex");
}

export function concat(...parts: Bytes[]): Bytes {
  return Uint8Array.from(Buffer.concat(parts));
}

export function utf8(text: string): Bytes {
  return new TextEncoder().encode(text);
}

export function equalBytes(a: Bytes, b: Bytes): boolean {
  return Buffer.compare(a, b) === 0;
}

// compareBytes orders as the keys of the state tree: byte by byte, a prefix first.
export function compareBytes(a: Bytes, b: Bytes): number {
  return Buffer.compare(a, b);
}

export function startsWith(bytes: Bytes, prefix: Bytes): boolean {
  return equalBytes(bytes.subarray(0, prefix.length), prefix);
}

// bigEndian and littleEndian encode an integer in a fixed number of bytes.
export function bigEndian(value: number | bigint, size: number): Bytes {
  let rest = BigInt(value);
  const out = new Uint8Array(size);
  for (let i = size - 1; i >= 0; i--) {
    out[i] = Number(rest & 0xffn);
    rest >>= 8n;
  }
  if (rest !== 0n) throw new Error(`${value} does not fit ${size} bytes`);
  return out;
}

export function littleEndian(value: number | bigint, size: number): Bytes {
  return bigEndian(value, size).reverse();
}

// varint encodes unsigned LEB128 in its shortest form.
export function varint(value: number | bigint): Bytes {
  let rest = BigInt(value);
  const out: number[] = [];
  while (rest >= 0x80n) {
    out.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  out.push(Number(rest));
  return Uint8Array.from(out);
}
