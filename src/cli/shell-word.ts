/** A word of a command that is to be copied into a shell; in quotes where it needs them. */
export function shellWord(word: string): string {
  return /^[\p{L}\p{N}_@%+=:,./~-]+$/u.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
