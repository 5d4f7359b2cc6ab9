/*
 * Commands that the CI runner executes if they appear in Terraform's output. `##vso[…]` and `##[…]` work anywhere in a
 * line, but `::error …::` works only at its start, after any blanks. Because Terraform breaks long lines at spaces,
 * every word that begins with `::` could start a line, and so could a `::` after an escaped line break in Terraform's
 * log.
 */
const everyCommand = /#(?=#\w*\[)|:(?=:[A-Za-z])(?<=(?:^|\s|\\[nr]):)/g;

/** Escapes commands for a CI runner in a string for Terraform's output. For example, `##[` becomes ‹U+0023›#[. */
export function escapeRunnerCommands(text: string): string {
  return text.replace(everyCommand, (character) => (character === "#" ? "‹U+0023›" : "‹U+003A›"));
}
