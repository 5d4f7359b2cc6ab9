import { cutText } from "./cut.js";

const maxLength = 300;

/**
 * Makes untrusted text safe for a message. Returns one line of at most 300 characters, without control or formatting
 * characters.
 */
export function toPlainLine(text: string): string {
  const line = text
    .slice(0, 10_000)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim();
  return line.length <= maxLength ? line : `${cutText(line, maxLength).trimEnd()}…`;
}
