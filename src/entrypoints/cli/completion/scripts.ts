import type { CommandWords, OptionWords, Value } from "./words.js";

/** Completion for bash, from 3.2 of macOS on. */
export function bashScript(all: readonly CommandWords[]): string {
  const cases = all.map(
    ({ name, subcommands, options, arguments: given }) => `    '${name}')
      words='${[...subcommands.map(({ word }) => word), ...given.map(listed)].join(" ")}'
      options='${options.flatMap(({ names, value }) => names.map((one) => one + (value ? `:${listed(value)}` : ""))).join(" ")}'
      ;;`,
  );
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
      ${listGrouped(all).join(" | ")}) name="$name \${COMP_WORDS[2]}" ;;
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

/** Completion for zsh: a file of a folder in `$fpath`, or sourced after `compinit`. */
export function zshScript(all: readonly CommandWords[]): string {
  return `#compdef avatarops
_avatarops() {
  local name=''
  local -a subcommands
  if ((CURRENT > 2)); then
    name="$words[2]"
    shift words
    ((CURRENT--))
  fi
  if ((CURRENT > 2)); then
    case "$name $words[2]" in
      (${listGrouped(all).join(" | ")})
        name="$name $words[2]"
        shift words
        ((CURRENT--))
        ;;
    esac
  fi
  case "$name" in
${all.map(toCase).join("\n")}
  esac
}
if [[ $funcstack[1] == _avatarops ]]; then
  _avatarops "$@"
else
  compdef _avatarops avatarops
fi
`;
}

function toCase({ name, subcommands, options, arguments: given }: CommandWords): string {
  const specs = [
    ...options.map(optionSpec),
    ...(subcommands.length > 0 ? ["'1:command:{_describe command subcommands}'"] : []),
    ...given.map((value, at) => quoted(`${value.isRepeatable ? "*" : at + 1}${valueSpec(value)}`)),
  ];
  const words = subcommands.map(({ word, summary }) => quoted(`${word}:${summary}`));
  return [
    `    ('${name}')`,
    ...(words.length > 0 ? [`      subcommands=(${words.join(" ")})`] : []),
    `      _arguments ${specs.join(" \\\n        ")}`,
    "      ;;",
  ].join("\n");
}

function optionSpec({ names, description, isRepeatable, value }: OptionWords): string {
  const meaning = `[${description.replace(/[[\]\\]/g, "\\$&")}]${value ? valueSpec(value) : ""}`;
  const [first = "", ...others] = names.map((name) => (value && name.startsWith("--") ? `${name}=` : name));
  if (others.length === 0) return quoted(`${isRepeatable ? "*" : ""}${first}${meaning}`);
  return `'(${names.join(" ")})'{${[first, ...others].join(",")}}${quoted(meaning)}`;
}

function valueSpec({ placeholder, known }: Value): string {
  const actions = { files: "_files", folders: "_files -/" };
  const action = typeof known === "string" ? actions[known] : known ? `(${known.join(" ")})` : " ";
  return `:${placeholder}:${action}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Completion for fish. */
export function fishScript(all: readonly CommandWords[]): string {
  // What several commands have is one line.
  const lines = new Map<string, string[]>();
  for (const { name, ...words } of all)
    for (const line of toLines(words)) lines.set(line, [...(lines.get(line) ?? []), quotedForFish(name)]);
  return `# Completion of avatarops for fish
function __avatarops_after
    set -l words (commandline -opc)
    set -l name "$words[2]"
    contains -- "$words[2] $words[3]" ${listGrouped(all).join(" ")}
    and set name "$words[2] $words[3]"
    contains -- "$name" $argv
end
complete -c avatarops -f
${Array.from(lines, ([line, names]) => `complete -c avatarops -n ${quotedForFish(`__avatarops_after ${names.join(" ")}`)} ${line}`).join("\n")}
`;
}

function toLines({ subcommands, options, arguments: given }: Omit<CommandWords, "name">): string[] {
  return [
    ...subcommands.map(({ word, summary }) => `-a ${word} -d ${quotedForFish(summary)}`),
    ...options.map(({ names, description, value }) => {
      const flags = names.map((name) =>
        name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
      );
      return [...flags, ...(value ? ["-r", ...offered(value)] : []), `-d ${quotedForFish(description)}`].join(
        " ",
      );
    }),
    ...given.filter(({ known }) => known).map((value) => offered(value).join(" ")),
  ];
}

function offered({ known = [] }: Value): string[] {
  if (known === "files") return ["-F"];
  return ["-f", "-a", quotedForFish(known === "folders" ? "(__fish_complete_directories)" : known.join(" "))];
}

function quotedForFish(text: string): string {
  return `'${text.replace(/['\\]/g, "\\$&")}'`;
}

/** The names of two words, quoted. */
function listGrouped(all: readonly CommandWords[]): string[] {
  return all.flatMap(({ name }) => (name.includes(" ") ? [`'${name}'`] : []));
}
