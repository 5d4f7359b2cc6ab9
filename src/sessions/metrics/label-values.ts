import type { SessionRow } from "../reports/index.js";

/** Each combination is a series that Prometheus keeps: a service that sends ever new values must not make ever more of them. */
const most = { mode: 10, source: 10, reason: 30 } as const;

/** Gives sessions their labels, and keeps the values that have one. */
export function openLabeler() {
  const values = { mode: new Set<string>(), source: new Set<string>(), reason: new Set<string>() };

  function label(name: keyof typeof most, value: string | undefined): string {
    if (value === undefined) return "none";
    const known = values[name];
    if (known.has(value)) return value;
    // Also what is no name.
    if (known.size >= most[name] || !/^[\w.:-]{1,64}$/.test(value)) return "other";
    known.add(value);
    return value;
  }

  return {
    of: ({ mode, source, is_sandbox }: SessionRow) => ({
      mode: label("mode", mode),
      source: label("source", source),
      sandbox: String(is_sandbox === true),
    }),
    reason: ({ end_reason }: SessionRow) => label("reason", end_reason),
  };
}
