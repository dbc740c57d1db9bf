export type Verdict = "accepted" | { stage: string; code: string; field?: string };
export function verdictText(v: Verdict): string {
  return v === "accepted" ? v : [v.stage, v.code, v.field].filter((x) => x !== undefined).join(", ");
}
export function judge(_t: Uint8Array, _n: number): Verdict { return "accepted"; }
