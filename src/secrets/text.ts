import type { ValueSource } from "./source.js";
import { SourceError } from "./source-error.js";

/** No key or token is longer; a longer text is the wrong file. */
export const maxBytes = 64 * 1024;

/** The message for a source with a longer text. */
export const tooLong = "has more than 64 KB, which is too long for a secret.";

/** The text of a source's bytes, without one final newline. */
export function textOf(bytes: Uint8Array, source: ValueSource): string {
  if (bytes.length > maxBytes) throw new SourceError("too-long", source, tooLong);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes).replace(/\r?\n$/, "");
  } catch {
    throw new SourceError("unreadable", source, "is not UTF-8 text. Encode it, e.g. as base64.");
  }
}
