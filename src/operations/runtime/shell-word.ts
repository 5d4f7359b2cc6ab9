/** Quotes a word for a shell if needed. */
export function quoteShellWord(word: string): string {
  return /^[\p{L}\p{N}_@%+=:,./-][\p{L}\p{N}_@%+=:,./~-]*$/u.test(word)
    ? word
    : `'${word.replaceAll("'", "'\\''")}'`;
}
