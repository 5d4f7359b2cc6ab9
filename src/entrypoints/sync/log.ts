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

/** In UTF-16 code units. */
const longestQuote = 60;
const longestMessage = 600;

/**
 * A message without long quotes: the service may quote a prompt when it refuses one, and a diagnostic what is written in
 * a file. From the first quotation mark to the last, because a quoted text may have some itself.
 */
export function withoutLongQuotes(message: string): string {
  const first = message.indexOf('"');
  const last = message.lastIndexOf('"');
  // A mark that is not closed quotes all that follows.
  const end = first === last ? message.length : last;
  const isLong = first !== -1 && end - first - 1 > longestQuote;
  const shown = isLong ? `${message.slice(0, first)}"…"${message.slice(end + 1)}` : message;
  return shown.length > longestMessage ? `${shown.slice(0, longestMessage)}…` : shown;
}
