/*
 * Commands that the CI runner executes if they appear in Terraform's output. `##vso[…]` and `##[…]` work anywhere in a
 * line, but `::error …::` works only at the start, after optional blanks. Any `::` after a space or an escaped line
 * break may end up at the start, because Terraform breaks long lines at spaces.
 */
const everyCommand = /#(?=#\w*\[)|:(?=:[A-Za-z])(?<=(?:^|\s|\\[nr]):)/g;

/** Escapes commands for a CI runner in a string for Terraform's output. For example, `##[` becomes ‹U+0023›#[. */
export function escapeRunnerCommands(text: string): string {
  return text.replace(everyCommand, (character) => (character === "#" ? "‹U+0023›" : "‹U+003A›"));
}
