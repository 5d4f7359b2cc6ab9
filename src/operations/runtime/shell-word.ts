/** A word of a command to copy into a shell, quoted if needed. */
export function shellWord(word: string): string {
  return /^[\p{L}\p{N}_@%+=:,./-][\p{L}\p{N}_@%+=:,./~-]*$/u.test(word)
    ? word
    : `'${word.replaceAll("'", "'\\''")}'`;
}
