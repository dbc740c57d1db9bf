// Small plots, drawn as SVG.

interface PlotProps {
  /** What the plot shows, for screen readers. */
  readonly label: string;
  readonly values: readonly number[];
  readonly kind: "bars" | "line";
}

const width = 240;
const height = 48;

/** Plot draws values from left to right, scaled to the largest one (bars) or to their range (line). */
export function Plot({ label, values, kind }: PlotProps) {
  return (
    <svg class={`plot plot-${kind}`} viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={label}>
      {kind === "bars" ? <path d={bars(values)} /> : <path d={line(values)} vector-effect="non-scaling-stroke" />}
    </svg>
  );
}

/** bars returns the path of bars. A value above zero is at least one unit high. */
export function bars(values: readonly number[]): string {
  const largest = Math.max(1, ...values);
  const step = width / Math.max(1, values.length);
  return values.map((value, index) => (value <= 0 ? "" : `M${round(index * step)} ${height}v${round(-Math.max(1, (value / largest) * height))}h${round(step * 0.75)}V${height}z`)).join("");
}

/** line returns the path of a line. */
export function line(values: readonly number[]): string {
  const lowest = Math.min(...values);
  const range = Math.max(...values) - lowest || 1;
  const step = width / Math.max(1, values.length - 1);
  return values.map((value, index) => `${index === 0 ? "M" : "L"}${round(index * step)} ${round(height - 2 - ((value - lowest) / range) * (height - 4))}`).join("");
}

const round = (value: number): number => Math.round(value * 10) / 10;
