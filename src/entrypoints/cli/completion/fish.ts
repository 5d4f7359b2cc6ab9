import type { CommandWords, Value } from "./words.js";

/** Completion for fish. */
export function fishScript(all: readonly CommandWords[]): string {
  const pairs = all.map(({ name }) => name).filter((name) => name.includes(" "));
  // What several commands have is one line.
  const lines = new Map<string, string[]>();
  for (const { name, ...words } of all)
    for (const line of toLines(words)) lines.set(line, [...(lines.get(line) ?? []), quoted(name)]);
  return `# Completion of avatarops for fish
function __avatarops_after
    set -l words (commandline -opc)
    set -l name "$words[2]"
    contains -- "$words[2] $words[3]" ${pairs.map(quoted).join(" ")}
    and set name "$words[2] $words[3]"
    contains -- "$name" $argv
end
complete -c avatarops -f
${Array.from(lines, ([line, names]) => `complete -c avatarops -n ${quoted(`__avatarops_after ${names.join(" ")}`)} ${line}`).join("\n")}
`;
}

function toLines({ subcommands, options, arguments: given }: Omit<CommandWords, "name">): string[] {
  return [
    ...subcommands.map(({ word, summary }) => `-a ${word} -d ${quoted(summary)}`),
    ...options.map(({ names, description, value }) => {
      const flags = names.map((name) =>
        name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
      );
      return [...flags, ...(value ? ["-r", ...offered(value)] : []), `-d ${quoted(description)}`].join(" ");
    }),
    ...given.filter(({ known }) => known).map((value) => offered(value).join(" ")),
  ];
}

function offered({ known = [] }: Value): string[] {
  if (known === "files") return ["-F"];
  return ["-f", "-a", quoted(known === "folders" ? "(__fish_complete_directories)" : known.join(" "))];
}

function quoted(text: string): string {
  return `'${text.replace(/['\\]/g, "\\$&")}'`;
}
