import type { SessionRow } from "../reports/index.js";

/**
 * Maximum number of values per label. Each combination of values is a Prometheus series, so their number must be
 * bounded.
 */
const maxValues = { mode: 10, source: 10, reason: 30 } as const;

/** Creates a labeler for sessions, which limits the number of values per label. */
export function openLabeler() {
  const values = { mode: new Set<string>(), source: new Set<string>(), reason: new Set<string>() };

  function toLabel(name: keyof typeof maxValues, value: string | undefined): string {
    if (value === undefined) return "none";
    const known = values[name];
    if (known.has(value)) return value;
    // Values that do not look like names also count as "other".
    if (known.size >= maxValues[name] || !/^[\w.:-]{1,64}$/.test(value)) return "other";
    known.add(value);
    return value;
  }

  return {
    getLabels: ({ mode, source, is_sandbox }: SessionRow) => ({
      mode: toLabel("mode", mode),
      source: toLabel("source", source),
      sandbox: String(is_sandbox === true),
    }),
    getReason: ({ end_reason }: SessionRow) => toLabel("reason", end_reason),
  };
}
