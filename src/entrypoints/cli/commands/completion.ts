import { type CommandFacts, listCommandOptions, type RunCommand } from "../command.js";
import { expandNegated } from "../facts/option.js";
import type { completionCommand } from "../facts/others.js";
import { groupSummaries } from "../program.js";

/** Creates the `completion` command for these commands. */
export function createCompletion(commands: readonly CommandFacts[]): RunCommand<typeof completionCommand> {
  return async (call) => call.output.result(renderBashScript(commands));
}

/** Renders a script for bash 3.2 (macOS) or later, and for zsh with `bashcompinit`. */
function renderBashScript(commands: readonly CommandFacts[]): string {
  const names = [...commands.map(({ name }) => name), ...Object.keys(groupSummaries)];
  const listNextWords = (before: string) =>
    names
      .filter((name) => name.startsWith(before))
      .map((name) => name.slice(before.length))
      .filter((word) => !word.includes(" "));
  const cases = [
    toCase("", [...listNextWords(""), "help"], ["-V", "--version"]),
    toCase("help", listNextWords("")),
    ...Object.keys(groupSummaries).map((name) => toCase(name, listNextWords(`${name} `))),
    ...commands.map((facts) => {
      const given = (facts.arguments ?? []).map(([placeholder, , choices]) =>
        describeValues(placeholder, choices),
      );
      const options = expandNegated(listCommandOptions(facts)).flatMap(({ flags, choices }) => {
        const [names = "", placeholder] = flags.split(/ (?=[<[])/);
        const values = placeholder === undefined ? "" : `:${describeValues(placeholder, choices)}`;
        return names.split(", ").map((one) => one + values);
      });
      return toCase(facts.name, [...listNextWords(`${facts.name} `), ...given], options);
    }),
  ];
  const grouped = names.filter((name) => name.includes(" ")).map((name) => `'${name}'`);
  return `# Completion of avatarops for bash
_avatarops() {
  local IFS=$' \\t\\n' name='' words='' options='' option
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD - 1]}"
  # --option=value is three words.
  if [[ $current == = ]]; then
    current=''
  elif [[ $before == = ]]; then
    before="\${COMP_WORDS[COMP_CWORD - 2]}"
  fi
  if ((COMP_CWORD > 1)); then name="\${COMP_WORDS[1]}"; fi
  if ((COMP_CWORD > 2)); then
    case "$name \${COMP_WORDS[2]}" in
      ${grouped.join(" | ")}) name="$name \${COMP_WORDS[2]}" ;;
    esac
  fi
  case "$name" in
    # After an option, a colon and the values that it takes.
${cases.join("\n")}
  esac
  if [[ $current == -* ]]; then
    words=''
    for option in $options; do words="$words \${option%%:*}"; done
  fi
  for option in $options; do
    if [[ $option == "$before":* ]]; then words="\${option#*:}"; fi
  done
  COMPREPLY=()
  case "$words" in
    @files | @folders)
      compopt -o filenames 2>/dev/null
      IFS=$'\\n'
      if [[ $words == @files ]]; then option=-f; else option=-d; fi
      COMPREPLY=($(compgen $option -- "$current"))
      ;;
    *) COMPREPLY=($(compgen -W "\${words//,/ }" -- "$current")) ;;
  esac
}
complete -F _avatarops avatarops
`;
}

function toCase(name: string, words: readonly string[], options: readonly string[] = []): string {
  return `    '${name}')
      words='${words.join(" ")}'
      options='${[...options, "-h", "--help"].join(" ")}'
      ;;`;
}

/** Returns the allowed words for a placeholder, or a marker for paths. Returns none if the shell cannot complete it. */
function describeValues(placeholder: string, choices: readonly string[] = []): string {
  const paths: Readonly<Record<string, string>> = { FILE: "@files", PLAN: "@files", DIR: "@folders" };
  return paths[placeholder.replace(/[<>[\].]/g, "")] ?? choices.join(",");
}
