/*
 * Commands that the CI runner executes if they appear in Terraform's output. `##vso[…]` and `##[…]` work anywhere, and
 * `::error …::` after blanks at the start of a line. Terraform breaks long lines at spaces, so every word that begins
 * with `::` could start a line. So could a `::` after an escaped line break in Terraform's log.
 */
const everyCommand = /#(?=#\w*\[)|:(?=:[A-Za-z])(?<=(?:^|\s|\\[nr]):)/g;

/** Escapes commands for a CI runner in a text for Terraform's output. For example, `##[` becomes ‹U+0023›#[. */
export function escapeRunnerCommands(text: string): string {
  return text.replace(everyCommand, (character) => (character === "#" ? "‹U+0023›" : "‹U+003A›"));
}
