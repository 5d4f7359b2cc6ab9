import { type CommandFacts, commandOptions } from "../command.js";
import { type OptionFacts, writtenOptions } from "../facts/option.js";
import { groupSummaries } from "../program.js";

/** What a shell can complete after the name of a command. */
export interface CommandWords {
  /** "" is the program itself, and "state" a group of commands. */
  readonly name: string;
  readonly subcommands: readonly Subcommand[];
  readonly options: readonly OptionWords[];
  readonly arguments: readonly Value[];
}

interface Subcommand {
  readonly word: string;
  readonly summary: string;
}

export interface OptionWords {
  /** Such as `--out`, and `-o` if it is short, too. */
  readonly names: readonly string[];
  readonly description: string;
  readonly isRepeatable: boolean;
  /** Undefined for a flag. */
  readonly value: Value | undefined;
}

/** The value of an option or an argument. */
export interface Value {
  /** Such as "FILE". */
  readonly placeholder: string;
  readonly isRepeatable: boolean;
  /** Paths or words; undefined: a text that the shell cannot know. */
  readonly known: "files" | "folders" | readonly string[] | undefined;
}

/** The words of the program, its groups and its commands. */
export function completionWords(commands: readonly CommandFacts[]): CommandWords[] {
  const groups = Object.entries(groupSummaries).map(([name, summary]) => ({ name, summary }));
  const named = [...commands, ...groups];
  const help = { word: "help", summary: "show the help of a command" };
  const bare = { options: [helpOption], arguments: [] };
  return [
    {
      ...bare,
      name: "",
      subcommands: [...subcommands("", named), help],
      options: [versionOption, helpOption],
    },
    { ...bare, name: "help", subcommands: subcommands("", named) },
    ...groups.map(({ name }) => ({ ...bare, name, subcommands: subcommands(`${name} `, named) })),
    ...commands.map((facts) => ({
      name: facts.name,
      subcommands: subcommands(`${facts.name} `, named),
      options: [...writtenOptions(commandOptions(facts)).map(optionWords), helpOption],
      arguments: (facts.arguments ?? []).map(([placeholder, , known]) => toValue(placeholder, known)),
    })),
  ];
}

function subcommands(before: string, named: readonly Pick<CommandFacts, "name" | "summary">[]): Subcommand[] {
  return named.flatMap(({ name, summary }) => {
    const word = name.slice(before.length);
    return name.startsWith(before) && !word.includes(" ") ? [{ word, summary }] : [];
  });
}

function optionWords({ flags, description, choices, repeatable }: Written): OptionWords {
  const [names = "", placeholder] = flags.split(/ (?=[<[])/);
  return {
    names: names.split(", "),
    description,
    isRepeatable: repeatable === true,
    value: placeholder === undefined ? undefined : toValue(placeholder, choices),
  };
}

type Written = Pick<OptionFacts, "flags" | "description" | "choices" | "repeatable">;

const helpOption = optionWords({ flags: "-h, --help", description: "show this help" });
const versionOption = optionWords({ flags: "-V, --version", description: "print the version" });

function toValue(written: string, choices: readonly string[] | undefined): Value {
  const placeholder = written.replace(/[<>[\].]/g, "");
  return { placeholder, isRepeatable: written.includes("..."), known: choices ?? paths[placeholder] };
}

/** The placeholders that mean a path. */
const paths: Readonly<Record<string, "files" | "folders">> = { FILE: "files", PLAN: "files", DIR: "folders" };
