import { resolve } from "node:path";
import { readRegularSync } from "../../base/files/index.js";

/**
 * The text of a prompt in a file, like YAML's `!file`: byte for byte, except that line ends are read as line
 * feeds and the last one is removed, because editors add it. A path is relative to the folder in which the
 * app runs.
 *
 * @throws Error that names the file, if it cannot be read or is not UTF-8 text.
 */
export function promptFile(path: string): string {
  const text = textIn(path);
  return text.replace(/\r+\n?/g, (end) => (end.endsWith("\n") ? "\n" : end)).replace(/\n$/, "");
}

function textIn(path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(readRegularSync(path));
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why =
      code === "ENOENT" || code === "ENOTDIR"
        ? `there is no file ${resolve(path)}. Paths begin at the folder in which the app runs`
        : code === "ERR_ENCODING_INVALID_ENCODED_DATA"
          ? "it is not UTF-8 text. Save it as UTF-8"
          : message;
    throw new Error(`promptFile(${JSON.stringify(path)}): ${why}.`, { cause });
  }
}
