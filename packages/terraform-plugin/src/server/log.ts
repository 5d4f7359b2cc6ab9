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
 * Creates a writer for Terraform's own log. Omits levels that TF_LOG_PROVIDER or TF_LOG excludes, because Terraform
 * would discard them.
 */
export function openLog(stderr: Output, { TF_LOG_PROVIDER, TF_LOG }: NodeJS.ProcessEnv): Log {
  const wanted = (TF_LOG_PROVIDER || TF_LOG || "off").toLowerCase();
  // As in Terraform, `JSON` and unknown log levels show everything.
  const lowest = wanted === "off" ? levels.length : Math.max(0, levels.indexOf(wanted));
  return (level, message, facts) => {
    if (levels.indexOf(level) < lowest) return;
    const fixed = {
      "@level": level,
      "@message": message,
      "@module": "provider",
      // Terraform recognizes its log format only if the seconds have exactly six decimal places.
      "@timestamp": new Date().toISOString().replace("Z", "000Z"),
    };
    writeError(stderr, `${JSON.stringify({ ...facts, ...fixed })}\n`);
  };
}
