/*
 * What Terraform prints in a pipeline is read by a CI runner, which takes lines for commands: `##vso[…]` and `##[…]`
 * wherever they stand, `::error …::` after nothing but blanks. Terraform breaks long lines at spaces, so every word that
 * begins with `::` could begin a line; in its log, so could what follows an escaped line end.
 */
const everyCommand = /#(?=#\w*\[)|:(?=:[A-Za-z])(?<=(?:^|\s|\\[nr]):)/g;

/** A text for Terraform's output in which nothing commands a CI runner: `##[` is written ‹U+0023›#[. */
export function withoutRunnerCommands(text: string): string {
  return text.replace(everyCommand, (character) => (character === "#" ? "‹U+0023›" : "‹U+003A›"));
}
