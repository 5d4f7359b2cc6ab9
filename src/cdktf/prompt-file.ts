import { readRegularSync } from "../files/index.js";

/**
 * The text of a prompt in a file, like YAML's `!file`: byte for byte, except that line ends are read as line
 * feeds and the last one is removed, because editors add it. A path is relative to the folder in which the
 * app runs.
 */
export function promptFile(path: string): string {
  const text = new TextDecoder("utf-8", { fatal: true }).decode(readRegularSync(path));
  return text.replace(/\r+\n?/g, (end) => (end.endsWith("\n") ? "\n" : end)).replace(/\n$/, "");
}
