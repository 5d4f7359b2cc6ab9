import type { Log } from "../provider.js";
import { withoutRunnerCommands } from "./runner-commands.js";

type Level = Parameters<Log>[0];

interface Output {
  write(text: string, written?: () => void): unknown;
}

/** Writes to stderr, which Terraform prints, or takes into its log. */
export function writeError(stderr: Output, text: string, written?: () => void): void {
  stderr.write(withoutRunnerCommands(text), written);
}

/** From the chattiest. */
const levels: readonly string[] = ["trace", "debug", "info", "warn", "error"] satisfies Level[];

/**
 * Writes lines that Terraform takes into its own log, at their level. Terraform filters by TF_LOG and shows nothing
 * without it; what it would throw away we need not write. Without a level, warnings and errors are written: to a provider
 * under a debugger, stderr is a terminal.
 */
export function openLog({ env, stderr }: { readonly env: NodeJS.ProcessEnv; readonly stderr: Output }): Log {
  const threshold = readThreshold(env);
  return (level, message, facts) => {
    if (levels.indexOf(level) < threshold) return;
    const fixed = {
      "@level": level,
      "@message": message,
      "@module": "provider",
      "@timestamp": timestamp(Date.now()),
    };
    writeError(stderr, `${JSON.stringify({ ...facts, ...fixed })}\n`);
  };
}

function readThreshold({ TF_LOG_PROVIDER, TF_LOG }: NodeJS.ProcessEnv): number {
  const level = (TF_LOG_PROVIDER || TF_LOG || "warn").toLowerCase();
  if (level === "off") return levels.length;
  // Terraform, too, takes "json" and what it does not know for all there is.
  return Math.max(0, levels.indexOf(level));
}

/** With exactly six digits after the second: with any other number Terraform does not know its own format. */
function timestamp(ms: number): string {
  return new Date(ms).toISOString().replace("Z", "000Z");
}
