// SHA-1 with detection of collision attacks, as git computes it. The algorithm is that of Stevens, "Counter-cryptanalysis" (2013): every
// known attack on SHA-1 uses one of 32 disturbance vectors, which determines how the two colliding blocks differ and after which step their
// states are equal. So for each block and each vector, the block that would be its partner is compressed from that step in both directions.
// If it leads from some chaining value to the same result, the block is one half of a collision.

/** Vector is a disturbance vector: the difference of the 80 expanded words, and the step after which both states are equal. */
interface Vector {
  readonly difference: Int32Array;
  readonly step: 58 | 65;
  /** Conditions, five numbers each: word, bit, word, bit, and 1 if the bits differ. */
  readonly conditions: Uint8Array;
}

const rotate = (word: number, bits: number) => (word << bits) | (word >>> (32 - bits));

/**
 * vector computes the disturbance vector I(k, b) or II(k, b). 16 of its words are given, the others follow from the message expansion. Each
 * disturbance is corrected in the five words after it (a local collision), so that words before the first one are needed too.
 */
function vector(kind: 1 | 2, k: number, b: number): Omit<Vector, "conditions"> {
  const before = 5;
  const words = new Int32Array(before + 80);
  const at = before + k;
  words[at + 15] = 1 << b;
  if (kind === 2) words[at + 1] = words[at + 3] = rotate(1 << b, 31);
  const word = (index: number) => words[index] as number;
  for (let i = at + 16; i < words.length; i++) words[i] = rotate(word(i - 3) ^ word(i - 8) ^ word(i - 14) ^ word(i - 16), 1);
  for (let i = at - 1; i >= 0; i--) words[i] = rotate(word(i + 16), 31) ^ word(i + 13) ^ word(i + 8) ^ word(i + 2);
  const difference = new Int32Array(80);
  for (let i = 0, j = before; i < 80; i++, j++) {
    difference[i] =
      word(j) ^ rotate(word(j - 1), 5) ^ word(j - 2) ^ rotate(word(j - 3) ^ word(j - 4) ^ word(j - 5), 30);
  }
  return { difference, step: k < 50 ? 58 : 65 };
}

/**
 * The 32 disturbance vectors that git checks, each with conditions that a block of an attack with it fulfils unavoidably: pairs of bits of
 * the expanded words, "word.bit", which are equal (=) or different (!). They are from Stevens and Shumow, "Speeding up detection of SHA-1
 * collision attacks using unavoidable attack conditions" (2017). Six for each vector leave one block in two for a second compression.
 */
const table = `
I 43 0: 46.29=47.29 43.4=46.29 41.4=44.29 39.4=42.29 37.4=40.29 44.29!46.29
I 44 0: 47.29=48.29 44.4=47.29 42.4=45.29 40.29=41.29 40.4=43.29 38.4=41.29
I 45 0: 48.29=49.29 45.4=48.29 43.4=46.29 41.4=44.29 41.29=42.29 39.4=42.29
I 46 0: 49.29=50.29 46.4=49.29 44.4=47.29 42.4=45.29 42.29=43.29 40.4=43.29
I 46 2: 44.6=46.6 39.1!40.6 61.2!62.7 47.1=46.6 42.6=44.6 35.1!36.6
I 47 0: 47.4=50.29 45.4=48.29 43.4=46.29 43.29=44.29 41.4=44.29 40.29=41.29
I 47 2: 45.6=47.6 40.1!41.6 36.1!37.6 48.1=47.6 43.6=45.6 62.2!63.7
I 48 0: 44.29=45.29 46.4=49.29 44.4=47.29 42.4=45.29 40.29=41.29 48.4=51.29
I 48 2: 44.6=46.6 41.1!42.6 46.6=48.6 42.6=44.6 37.1!38.6 63.2!64.7
I 49 0: 47.4=50.29 45.4=48.29 45.29=46.29 43.4=46.29 52.29=53.29 49.4=52.29
I 49 2: 45.6=47.6 47.6=49.6 43.6=45.6 35.1!36.6 49.6=50.1 42.1!50.1
I 50 0: 46.4=49.29 46.29=47.29 44.4=47.29 43.29=44.29 53.29=54.29 50.4=53.29
I 50 2: 44.6=46.6 39.1!40.6 36.1!37.6 51.1=50.6 48.6=50.6 46.6=48.6
I 51 0: 44.29=45.29 47.4=50.29 47.29=48.29 45.4=48.29 43.29=44.29 41.4=44.29
I 51 2: 45.6=47.6 40.1!41.6 47.6=49.6 44.1!45.6 42.1=41.6 37.1!38.6
I 52 0: 44.29=45.29 48.29=49.29 46.4=49.29 45.29=46.29 42.4=45.29 50.4=53.29
II 45 0: 44.29=45.29 49.29=50.29 47.4=50.29 43.29=44.29 41.4=44.29 52.29=53.29
II 46 0: 44.29=45.29 45.29=46.29 42.4=45.29 40.29=41.29 53.29=54.29 50.4=53.29
II 46 2: 41.1!42.6 36.1!37.6 61.2!62.7 51.1=50.6 48.6=50.6 43.1=42.6
II 47 0: 46.29=47.29 45.29=46.29 43.4=46.29 40.29=41.29 54.29=55.29 49.4=52.29
II 48 0: 47.29=48.29 46.29=47.29 44.4=47.29 52.29=53.29 50.4=53.29 42.29=43.29
II 49 0: 48.29=49.29 47.29=48.29 45.4=48.29 43.29=44.29 53.29=54.29 42.29=43.29
II 49 2: 39.1!40.6 44.1!45.6 41.1=40.6 53.6=54.1 51.6=53.6 50.1!54.1
II 50 0: 44.29=45.29 49.29=50.29 48.29=49.29 46.4=49.29 43.29=44.29 41.4=44.29
II 50 2: 40.1!41.6 47.1=46.6 42.1=41.6 54.6=55.1 52.6=54.6 51.1!55.1
II 51 0: 44.29=45.29 49.29=50.29 47.4=50.29 45.29=46.29 42.4=45.29 50.29=51.29
II 51 2: 41.1!42.6 48.1=47.6 43.1=42.6 55.6=56.1 53.6=55.6 52.1!56.1
II 52 0: 46.29=47.29 45.29=46.29 43.4=46.29 50.29=51.29 48.4=51.29 51.29=52.29
II 53 0: 47.29=48.29 46.29=47.29 44.4=47.29 52.29=53.29 49.4=52.29 37.4=40.29
II 54 0: 48.29=49.29 47.29=48.29 45.4=48.29 53.29=54.29 52.29=53.29 50.4=53.29
II 55 0: 49.29=50.29 48.29=49.29 46.4=49.29 54.29=55.29 53.29=54.29 39.4=42.29
II 56 0: 49.29=50.29 47.4=50.29 40.29=41.29 54.29=55.29 50.29=51.29 40.4=43.29
`;

function parse(line: string): Vector {
  const [kind, k, b, ...conditions] = line.split(/:? /);
  const numbers = conditions.flatMap((text) => {
    const [left = "", right = ""] = text.split(/[=!]/);
    return [...left.split("."), ...right.split(".")].map(Number).concat(text.includes("!") ? 1 : 0);
  });
  return { ...vector(kind === "I" ? 1 : 2, Number(k), Number(b)), conditions: Uint8Array.from(numbers) };
}

/** vectors are the disturbance vectors that are checked. */
export const vectors: readonly Vector[] = table.trim().split("\n").map(parse);

/** Sha1 hashes bytes and reports whether one of the blocks belongs to a collision attack. */
export class Sha1 {
  /** Whether a block was seen that belongs to a collision attack. The digest is then not trustworthy. */
  collision = false;
  private readonly chain = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0);
  private readonly words = new Int32Array(80);
  private readonly other = new Int32Array(80);
  private readonly state = new Int32Array(5);
  private readonly start = new Int32Array(5);
  private readonly states = { 58: new Int32Array(5), 65: new Int32Array(5) };
  private readonly block = new Uint8Array(64);
  private readonly view = new DataView(this.block.buffer);
  private length = 0;

  /** update adds bytes. */
  update(bytes: Uint8Array): this {
    for (let offset = 0; offset < bytes.length; ) {
      const used = this.length % 64;
      const part = bytes.subarray(offset, offset + 64 - used);
      this.block.set(part, used);
      this.length += part.length;
      offset += part.length;
      if (this.length % 64 === 0) this.compress();
    }
    return this;
  }

  /** digest returns the 20 bytes of the hash. It may be called once. */
  digest(): Uint8Array {
    const bits = this.length * 8;
    const padding = new Uint8Array(((119 - (this.length % 64)) % 64) + 9);
    padding[0] = 0x80;
    const view = new DataView(padding.buffer);
    view.setUint32(padding.length - 8, Math.floor(bits / 2 ** 32));
    view.setUint32(padding.length - 4, bits >>> 0);
    this.update(padding);
    const digest = new Uint8Array(20);
    this.chain.forEach((word, i) => new DataView(digest.buffer).setInt32(4 * i, word));
    return digest;
  }

  private compress(): void {
    const { words: w, chain, view } = this;
    for (let i = 0; i < 16; i++) w[i] = view.getInt32(4 * i);
    for (let i = 16; i < 80; i++) {
      const x = (w[i - 3] as number) ^ (w[i - 8] as number) ^ (w[i - 14] as number) ^ (w[i - 16] as number);
      w[i] = (x << 1) | (x >>> 31);
    }
    const { state } = this;
    state.set(chain);
    forward(state, w, 0, 58);
    this.states[58].set(state);
    forward(state, w, 58, 65);
    this.states[65].set(state);
    forward(state, w, 65, 80);
    for (let i = 0; i < 5; i++) chain[i] = (chain[i] as number) + (state[i] as number);
    for (const vector of vectors) {
      if (possible(w, vector.conditions) && this.collides(vector)) this.collision = true;
    }
  }

  /** collides compresses the partner of the block, and reports whether it ends in the same chaining value. */
  private collides({ difference, step }: Vector): boolean {
    const { other, words, chain, start, state } = this;
    for (let i = 0; i < 80; i++) other[i] = (words[i] as number) ^ (difference[i] as number);
    start.set(this.states[step]);
    state.set(start);
    backward(start, other, step);
    forward(state, other, step, 80);
    for (let i = 0; i < 5; i++) {
      if ((((start[i] as number) + (state[i] as number)) | 0) !== chain[i]) return false;
    }
    return true;
  }
}

/** possible reports whether expanded words fulfil the conditions of a vector. */
function possible(w: Int32Array, conditions: Uint8Array): boolean {
  for (let i = 0; i < conditions.length; i += 5) {
    const left = (w[conditions[i] as number] as number) >>> (conditions[i + 1] as number);
    const right = (w[conditions[i + 2] as number] as number) >>> (conditions[i + 3] as number);
    if (((left ^ right ^ (conditions[i + 4] as number)) & 1) !== 0) return false;
  }
  return true;
}

/** forward computes the steps [from, to) of the compression function. */
function forward(state: Int32Array, w: Int32Array, from: number, to: number): void {
  let a = state[0] as number, b = state[1] as number, c = state[2] as number, d = state[3] as number, e = state[4] as number;
  for (let i = from; i < to; i++) {
    const next = (((a << 5) | (a >>> 27)) + mix(i, b, c, d) + e + (w[i] as number)) | 0;
    e = d;
    d = c;
    c = (b << 30) | (b >>> 2);
    b = a;
    a = next;
  }
  state[0] = a, state[1] = b, state[2] = c, state[3] = d, state[4] = e;
}

/** backward undoes the steps [0, from) of the compression function. */
function backward(state: Int32Array, w: Int32Array, from: number): void {
  let a = state[0] as number, b = state[1] as number, c = state[2] as number, d = state[3] as number, e = state[4] as number;
  for (let i = from - 1; i >= 0; i--) {
    const next = a;
    a = b;
    b = (c << 2) | (c >>> 30);
    c = d;
    d = e;
    e = (next - ((a << 5) | (a >>> 27)) - mix(i, b, c, d) - (w[i] as number)) | 0;
  }
  state[0] = a, state[1] = b, state[2] = c, state[3] = d, state[4] = e;
}

/** mix is the Boolean function of a step, plus its constant. */
function mix(step: number, b: number, c: number, d: number): number {
  if (step < 20) return (d ^ (b & (c ^ d))) + 0x5a827999 | 0;
  if (step < 40) return (b ^ c ^ d) + 0x6ed9eba1 | 0;
  if (step < 60) return ((b & c) | (d & (b | c))) + 0x8f1bbcdc | 0;
  return (b ^ c ^ d) + 0xca62c1d6 | 0;
}
