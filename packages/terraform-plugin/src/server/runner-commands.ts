/*
 * In a pipeline, the CI runner executes commands in Terraform's output: `##vso[…]` and `##[…]` anywhere, `::error …::`
 * at the start of a line, after blanks. Terraform breaks long lines at spaces, so every word that begins with `::` could
 * start a line; in its log, so could the text after an escaped line end.
 */
const everyCommand = /#(?=#\w*\[)|:(?=:[A-Za-z])(?<=(?:^|\s|\\[nr]):)/g;

/** Returns a text without commands for a CI runner, for Terraform's output: `##[` becomes ‹U+0023›#[. */
export function escapeRunnerCommands(text: string): string {
  return text.replace(everyCommand, (character) => (character === "#" ? "‹U+0023›" : "‹U+003A›"));
}
