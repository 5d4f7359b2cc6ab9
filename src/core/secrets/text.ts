/** Maximum length of a key or token; a longer text is the wrong file. */
export const maxBytes = 64 * 1024;

export const tooLongText = "has more than 64 KB, which is too long for a secret.";

/** Decodes bytes; undefined if they are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
