import { SourceError } from "./source-error.js";

/** No key or token is longer; a longer one is the wrong file. */
export const maxBytes = 64 * 1024;

/** The text of a source's bytes, without one final newline, which editors and commands add. `source` in words. */
export function textOf(bytes: Uint8Array, source: string): string {
  if (bytes.length > maxBytes) {
    throw new SourceError("too-long", source, `The ${source} gives more than 64 KB, which no secret is.`);
  }
  const text = decoded(bytes, source).replace(/\r?\n$/, "");
  if (text.trim() === "") throw new SourceError("empty", source, `The ${source} gives an empty value.`);
  return text;
}

function decoded(bytes: Uint8Array, source: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new SourceError(
      "unreadable",
      source,
      `The ${source} gives bytes that are no UTF-8 text: encode them, e.g. as base64.`,
    );
  }
}
