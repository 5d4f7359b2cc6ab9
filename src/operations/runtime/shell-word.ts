export function quoteShellWord(word: string): string {
  return /^[\p{L}\p{N}_@%+=:,./-][\p{L}\p{N}_@%+=:,./~-]*$/u.test(word)
    ? word
    : `'${word.replaceAll("'", "'\\''")}'`;
}
