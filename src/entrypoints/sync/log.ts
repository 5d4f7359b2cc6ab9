import { makeVisible } from "../../output/render/index.js";

/** Log line fields, with names in snake case. */
export type LogFacts = Readonly<Record<string, unknown>>;

/** Log with one JSON document per line. */
export type Log = Readonly<Record<"info" | "warn" | "error", (message: string, facts?: LogFacts) => void>>;

/** Opens a log. Each line is one call of `write`. */
export function openLog(write: (line: string) => void, now: () => number): Log {
  const createWriter =
    (level: keyof Log) =>
    (msg: string, facts: LogFacts = {}) =>
      write(
        `${JSON.stringify(escapeTexts({ level, time: new Date(now()).toISOString(), ...facts, msg }))}\n`,
      );
  return { info: createWriter("info"), warn: createWriter("warn"), error: createWriter("error") };
}

/** Escapes invisible characters in all strings, because some strings are untrusted, and logs are read in terminals. */
function escapeTexts(value: unknown): unknown {
  if (typeof value === "string") return makeVisible(value);
  if (Array.isArray(value)) return value.map(escapeTexts);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, escapeTexts(inner)]));
}
