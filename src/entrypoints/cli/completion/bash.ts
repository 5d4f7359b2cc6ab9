import type { CommandWords, Value } from "./words.js";

/** Completion for bash, from 3.2 of macOS on. */
export function bashScript(all: readonly CommandWords[]): string {
  const cases = all.map(
    ({ name, subcommands, options, arguments: given }) => `    '${name}')
      words='${[...subcommands.map(({ word }) => word), ...given.map(listed)].join(" ")}'
      options='${options.flatMap(({ names, value }) => names.map((one) => one + (value ? `:${listed(value)}` : ""))).join(" ")}'
      ;;`,
  );
  const pairs = all.map(({ name }) => name).filter((name) => name.includes(" "));
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
      ${pairs.map((name) => `'${name}'`).join(" | ")}) name="$name \${COMP_WORDS[2]}" ;;
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

function listed({ known = [] }: Value): string {
  return typeof known === "string" ? `@${known}` : known.join(",");
}
