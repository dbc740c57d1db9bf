// The curve P-256, as far as passkeys need it: public values only, so nothing has to take constant time.
import { bigEndian, concat, hex } from "./bytes.js";

const p = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn;
const b = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn;
const generator: Point = [0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296n, 0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5n];

/** order is the number of points of the curve. */
export const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** Point is a point of the curve; undefined is the neutral one. */
type Point = readonly [x: bigint, y: bigint] | undefined;

const mod = (value: bigint, modulus: bigint) => ((value % modulus) + modulus) % modulus;

function inverse(value: bigint, modulus: bigint): bigint {
  let [a, c, x, y] = [mod(value, modulus), modulus, 1n, 0n];
  while (a > 1n) {
    const quotient = c / a;
    [a, c, x, y] = [c - quotient * a, a, y - quotient * x, x];
  }
  return mod(x, modulus);
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let square = base; exponent > 0n; exponent >>= 1n, square = (square * square) % p) {
    if (exponent & 1n) result = (result * square) % p;
  }
  return result;
}

function add(left: Point, right: Point): Point {
  if (left === undefined || right === undefined) return left ?? right;
  const [[x1, y1], [x2, y2]] = [left, right];
  if (x1 === x2 && mod(y1 + y2, p) === 0n) return undefined;
  const slope = x1 === x2 ? (3n * x1 * x1 - 3n) * inverse(2n * y1, p) : (y2 - y1) * inverse(x2 - x1, p);
  const x = mod(slope * slope - x1 - x2, p);
  return [x, mod(slope * (x1 - x) - y1, p)];
}

function multiply(point: Point, scalar: bigint): Point {
  let result: Point;
  for (let doubled = point; scalar > 0n; scalar >>= 1n, doubled = add(doubled, doubled)) {
    if (scalar & 1n) result = add(result, doubled);
  }
  return result;
}

const cubic = (x: bigint) => mod(x * x * x - 3n * x + b, p);
const number = (bytes: Uint8Array) => BigInt(`0x${hex(bytes)}`);

/** isPoint reports whether 64 bytes, x and y, are a point of the curve. */
export function isPoint(point: Uint8Array): boolean {
  if (point.length !== 64) return false;
  const [x, y] = [number(point.subarray(0, 32)), number(point.subarray(32))];
  return x < p && y < p && (y * y) % p === cubic(x);
}

/** recoverPoints returns the two points whose key may have made the signature r, s of a hash of 32 bytes; none if r is of no point. */
export function recoverPoints(r: bigint, s: bigint, hash: Uint8Array): Uint8Array[] {
  const y = power(cubic(r), (p + 1n) / 4n);
  if (r >= p || (y * y) % p !== cubic(r)) return [];
  const factor = inverse(r, order);
  const first = multiply(generator, mod(-number(hash) * factor, order));
  const second = multiply([r, y], mod(s * factor, order));
  const opposite: Point = second && [second[0], p - second[1]];
  return [add(first, second), add(first, opposite)].flatMap((point) => (point === undefined ? [] : [concat(bigEndian(point[0], 32), bigEndian(point[1], 32))]));
}

/** parseDer returns r and s of an ECDSA signature in DER. It throws a TypeError unless it is one. */
export function parseDer(der: Uint8Array): { readonly r: bigint; readonly s: bigint } {
  const integer = (at: number) => {
    const length = der[at + 1] ?? 0;
    const end = at + 2 + length;
    if (der[at] !== 2 || length < 1 || length > 33 || end > der.length) throw new TypeError("not a signature in DER");
    return { value: number(der.subarray(at + 2, end)), end };
  };
  const r = integer(2);
  const s = integer(r.end);
  const isValid = (value: bigint) => value > 0n && value < order;
  if (der[0] !== 0x30 || der[1] !== der.length - 2 || s.end !== der.length || !isValid(r.value) || !isValid(s.value)) throw new TypeError("not a signature in DER");
  return { r: r.value, s: s.value };
}
