/** Maximum size of a key or token. A larger file must be the wrong one. */
export const maxBytes = 64 * 1024;

export const tooLongText = "is larger than 64 KB, which is too long for a secret.";

/** Maximum size of a file or of a program's output. */
export interface SizeLimit {
  readonly bytes: number;
  /** Problem with a larger one, which continues the description of the source. */
  readonly problem: string;
}

/** Decodes bytes. Returns undefined if they are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
