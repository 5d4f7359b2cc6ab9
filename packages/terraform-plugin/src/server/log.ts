import type { Log } from "../provider.js";
import { withoutRunnerCommands } from "./runner-commands.js";

interface Output {
  write(text: string, written?: () => void): unknown;
}

/** Writes to stderr, which Terraform prints, or takes into its log. */
export function writeError(stderr: Output, text: string, written?: () => void): void {
  stderr.write(withoutRunnerCommands(text), written);
}

/** Writes lines that Terraform takes into its own log, at their level, and of which it shows what TF_LOG asks for. */
export function openLog(stderr: Output): Log {
  return (level, message, facts) => {
    const fixed = {
      "@level": level,
      "@message": message,
      "@module": "provider",
      // With exactly six digits after the second: with any other number Terraform does not know its own format.
      "@timestamp": new Date().toISOString().replace("Z", "000Z"),
    };
    writeError(stderr, `${JSON.stringify({ ...facts, ...fixed })}\n`);
  };
}
