import type { ValueSource } from "./source.js";
import { SourceError } from "./source-error.js";

/** No key or token is longer; a longer one is the wrong file. */
export const maxBytes = 64 * 1024;

/** What is said of a source that gives more. */
export const tooLong = "gives more than 64 KB, which no secret is.";

/** The text of a source's bytes, without one final newline. */
export function textOf(bytes: Uint8Array, source: ValueSource): string {
  if (bytes.length > maxBytes) throw new SourceError("too-long", source, tooLong);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes).replace(/\r?\n$/, "");
  } catch {
    throw new SourceError(
      "unreadable",
      source,
      "gives bytes that are no UTF-8 text. Encode them, e.g. as base64.",
    );
  }
}
