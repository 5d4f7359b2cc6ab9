import { visible } from "../../output/render/index.js";

/** Facts of a log line, by name in snake case. */
export type LogFacts = Readonly<Record<string, unknown>>;

/** Log lines as JSON, for programs and for people who search them. */
export type Log = Readonly<Record<"info" | "warn" | "error", (message: string, facts?: LogFacts) => void>>;

/** Opens the log; each line goes to `write` in one piece. */
export function openLog(write: (line: string) => void, now: () => number): Log {
  const at =
    (level: keyof Log) =>
    (msg: string, facts: LogFacts = {}) =>
      write(`${JSON.stringify(safe({ level, time: new Date(now()).toISOString(), ...facts, msg }))}\n`);
  return { info: at("info"), warn: at("warn"), error: at("error") };
}

/** A value with all texts in it made visible, at any depth: a log is read on terminals, and some of it comes from elsewhere. */
function safe(value: unknown): unknown {
  if (typeof value === "string") return visible(value);
  if (Array.isArray(value)) return value.map(safe);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, safe(inner)]));
}
