/** Returns whether a character belongs to a script that writes words without spaces. */
export function isUnspaced(character: string): boolean {
  return /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tibt}]/u.test(
    character,
  );
}
