import { withPackage } from "../../base/optional-packages/index.js";
import { visible } from "../../output/render/index.js";

/** Facts of a log line, by name in snake case. */
export type LogFacts = Readonly<Record<string, unknown>>;

/** Log lines as JSON, for programs and for people who search them. */
export type Log = Readonly<Record<"info" | "warn" | "error", (message: string, facts?: LogFacts) => void>>;

/** Opens the log; each line goes to `write` in one piece. */
export async function openLog(write: (line: string) => void, now: () => number): Promise<Log> {
  const { pino } = await withPackage("pino", "avatarops sync", () => import("pino"));
  const log = pino(
    {
      base: null,
      timestamp: () => `,"time":"${new Date(now()).toISOString()}"`,
      formatters: { level: (level) => ({ level }) },
    },
    { write },
  );
  // All texts made visible: a log is read on terminals, and some of it comes from elsewhere.
  const at =
    (level: keyof Log) =>
    (message: string, facts: LogFacts = {}) =>
      log[level](safe(facts), visible(message));
  return { info: at("info"), warn: at("warn"), error: at("error") };
}

/** At any depth. */
function safe(value: unknown): unknown {
  if (typeof value === "string") return visible(value);
  if (Array.isArray(value)) return value.map(safe);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, safe(inner)]));
}
