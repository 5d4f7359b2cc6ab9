import type { Log } from "../provider.js";

type Level = Parameters<Log>[0];

/** From the chattiest. */
const levels: readonly string[] = ["trace", "debug", "info", "warn", "error"] satisfies Level[];

/** Terraform reads no line of 64 KiB as one of its log. */
const maxLineBytes = 60_000;
/** A character takes six bytes at most, escaped. */
const maxMessageLength = 9_000;

/**
 * Writes lines that Terraform takes into its own log, at their level. Terraform filters by TF_LOG and shows nothing
 * without it; what it would throw away we need not write. Without a level, warnings and errors are written: to a provider
 * under a debugger, stderr is a terminal.
 */
export function openLog(input: {
  readonly write: (line: string) => void;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
}): Log {
  const threshold = readThreshold(input.environment);
  return (level, message, facts) => {
    if (levels.indexOf(level) < threshold) return;
    const fixed = {
      "@level": level,
      "@message": message,
      "@module": "provider",
      "@timestamp": timestamp(input.now()),
    };
    const line = JSON.stringify({ ...facts, ...fixed });
    const isShort = Buffer.byteLength(line) <= maxLineBytes;
    input.write(`${isShort ? line : JSON.stringify({ ...fixed, "@message": cut(message) })}\n`);
  };
}

function readThreshold({ TF_LOG_PROVIDER, TF_LOG }: Readonly<Record<string, string | undefined>>): number {
  const level = (TF_LOG_PROVIDER || TF_LOG || "warn").toLowerCase();
  if (level === "off") return levels.length;
  // Terraform, too, takes "json" and what it does not know for all there is.
  return Math.max(0, levels.indexOf(level));
}

/** With exactly six digits after the second: with any other number Terraform does not know its own format. */
function timestamp(ms: number): string {
  return new Date(ms).toISOString().replace("Z", "000Z");
}

function cut(message: string): string {
  return `${message.slice(0, maxMessageLength)}… (a long line was cut)`;
}
