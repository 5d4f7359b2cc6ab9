import { readRegularSync } from "../files/index.js";

/**
 * The text of a prompt in a file, as YAML's `!file` takes it: to the byte, but for line ends, which are
 * read as line feeds, and for the last one, which editors add. A path counts from the folder the app is run in.
 */
export function promptFile(path: string): string {
  const text = new TextDecoder("utf-8", { fatal: true }).decode(readRegularSync(path));
  return text.replace(/\r+\n?/g, (end) => (end.endsWith("\n") ? "\n" : end)).replace(/\n$/, "");
}
