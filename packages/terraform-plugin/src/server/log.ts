import type { Log } from "../provider.js";
import { escapeRunnerCommands } from "./runner-commands.js";

interface Output {
  write(text: string, written?: () => void): unknown;
}

/** Writes to stderr, which Terraform prints or adds to its log. */
export function writeError(stderr: Output, text: string, written?: () => void): void {
  stderr.write(escapeRunnerCommands(text), written);
}

const levels: readonly string[] = ["trace", "debug", "info", "warn", "error"];

/**
 * Writes lines that Terraform adds to its own log, if TF_LOG_PROVIDER or TF_LOG includes their level. Terraform would read
 * and discard others.
 */
export function openLog(stderr: Output, { TF_LOG_PROVIDER, TF_LOG }: NodeJS.ProcessEnv): Log {
  const wanted = (TF_LOG_PROVIDER || TF_LOG || "off").toLowerCase();
  // As in Terraform, JSON and unknown values show everything.
  const lowest = wanted === "off" ? levels.length : Math.max(0, levels.indexOf(wanted));
  return (level, message, facts) => {
    if (levels.indexOf(level) < lowest) return;
    const fixed = {
      "@level": level,
      "@message": message,
      "@module": "provider",
      // Needs exactly six decimal places of the second; otherwise, Terraform does not recognize its own format.
      "@timestamp": new Date().toISOString().replace("Z", "000Z"),
    };
    writeError(stderr, `${JSON.stringify({ ...facts, ...fixed })}\n`);
  };
}
