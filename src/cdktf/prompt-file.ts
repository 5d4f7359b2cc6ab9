import { readRegularSync } from "../files/index.js";

/**
 * The text of a prompt in a file, as YAML's `!file` takes it: to the byte, but for one final newline, which editors add.
 * A path counts from the folder the app is run in.
 */
export function promptFile(path: string): string {
  const text = new TextDecoder("utf-8", { fatal: true }).decode(readRegularSync(path));
  return text.replace(/\r?\n$/, "");
}
