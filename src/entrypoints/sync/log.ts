import { withPackage } from "../../base/optional-packages/index.js";
import { visible } from "../../output/render/index.js";

/** Facts of a log line, by name in snake case. */
export type LogFacts = Readonly<Record<string, unknown>>;

/** Log lines as JSON, for programs and for people who search them. */
export interface Log {
  info(message: string, facts?: LogFacts): void;
  warn(message: string, facts?: LogFacts): void;
  error(message: string, facts?: LogFacts): void;
}

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
  return {
    info: (message, facts = {}) => log.info(safeFacts(facts), visible(message)),
    warn: (message, facts = {}) => log.warn(safeFacts(facts), visible(message)),
    error: (message, facts = {}) => log.error(safeFacts(facts), visible(message)),
  };
}

/** All texts made visible, at any depth: a log is read on terminals, and some of it comes from elsewhere. */
function safeFacts(facts: LogFacts): LogFacts {
  return safe(facts) as LogFacts;
}

function safe(value: unknown): unknown {
  if (typeof value === "string") return visible(value);
  if (Array.isArray(value)) return value.map(safe);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, safe(inner)]));
}
