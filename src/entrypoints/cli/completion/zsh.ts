import type { CommandWords, OptionWords, Value } from "./words.js";

/** Completion for zsh: a file of a folder in `$fpath`, or sourced after `compinit`. */
export function zshScript(all: readonly CommandWords[]): string {
  const pairs = all.map(({ name }) => name).filter((name) => name.includes(" "));
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
      (${pairs.map((name) => `'${name}'`).join(" | ")})
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
