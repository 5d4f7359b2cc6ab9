import { type CommandFacts, listCommandOptions } from "../command.js";
import { expandNegated } from "../facts/option.js";
import { groupSummaries, listHelpPages } from "../program.js";

/** Candidate for the last word of a command line. */
export interface Candidate {
  readonly word: string;
  readonly description?: string;
}

/** Candidates, or a kind of path for the shell to complete. */
export type Candidates = "files" | "folders" | readonly Candidate[];

/** A project's values for placeholders, such as the addresses for `<ADDRESS>`. */
export interface ProjectValues {
  readonly addresses: readonly string[];
  readonly environments: readonly string[];
  readonly presets: readonly string[];
  /** Sides that `diff` can compare. */
  readonly sides: readonly string[];
}

/** Options on a command line that select the project. */
export interface ProjectOptions {
  readonly file: string | undefined;
  readonly env: string | undefined;
}

type ReadValues = (project: ProjectOptions) => Promise<ProjectValues>;

/** Completes the last word of a command line (may be empty). `words` excludes the program's name. */
export async function complete(
  commands: readonly CommandFacts[],
  words: readonly string[],
  readValues: ReadValues,
): Promise<Candidates> {
  const current = words.at(-1) ?? "";
  const [name, before] = findCommand(commands, words.slice(0, -1));
  const facts = commands.find((one) => one.name === name);
  const options = [...listOptions(facts), ...(name === "" ? [version] : []), help];
  const findOption = (flag: string | undefined) => options.find(({ flags }) => flags.includes(flag ?? ""));
  const readOption = (flag: string) => {
    const given = before.findLastIndex((word) => findOption(word.split("=")[0])?.flags.includes(flag));
    const [, joined] = /^--[^=]+=(.*)$/.exec(before[given] ?? "") ?? [];
    return given === -1 ? undefined : (joined ?? before[given + 1]);
  };
  const completeValue = (value: Value): Promise<Candidates> =>
    listValues(value, () => readValues({ file: readOption("--file"), env: readOption("--env") }));
  const [, joinedFlag, start = ""] = /^(--[^=]+)=(.*)$/.exec(current) ?? [];
  const option = findOption(joinedFlag ?? before.at(-1));
  if (joinedFlag !== undefined || option?.placeholder !== undefined)
    return option?.placeholder === undefined
      ? []
      : filter(await completeValue(option), joinedFlag === undefined ? current : start);
  if (current.startsWith("-"))
    return filter(
      options.flatMap(({ flags, description }) => flags.map((word) => ({ word, description }))),
      current,
    );
  const position = before.filter(
    (word, at) => !word.startsWith("-") && findOption(before[at - 1])?.placeholder === undefined,
  ).length;
  const declared = facts?.arguments ?? [];
  const argument =
    declared[position] ?? declared.filter(([placeholder]) => placeholder.includes("...")).at(-1);
  if (argument) {
    const [placeholder, , choices] = argument;
    return filter(await completeValue({ command: name, placeholder, choices }), current);
  }
  return position === 0 ? filter(listNextWords(commands, name), current) : [];
}

interface Value {
  /** Flags of the option whose value is completed. */
  readonly flags?: readonly string[];
  /** Command whose argument is completed. */
  readonly command?: string;
  readonly placeholder?: string | undefined;
  readonly choices?: readonly string[] | undefined;
}

interface WrittenOption extends Value {
  readonly flags: readonly string[];
  readonly description: string;
}

const version: WrittenOption = { flags: ["-V", "--version"], description: "print the version" };
const help: WrittenOption = { flags: ["-h", "--help"], description: "show the help" };

function listOptions(facts: CommandFacts | undefined): WrittenOption[] {
  if (!facts) return [];
  return expandNegated(listCommandOptions(facts)).map(({ flags, description, choices }) => {
    const [names = "", placeholder] = flags.split(/ (?=[<[])/);
    return { flags: names.split(", "), placeholder, description, choices };
  });
}

/** Splits words into the longest leading command name and the rest. */
function findCommand(
  commands: readonly CommandFacts[],
  words: readonly string[],
): readonly [name: string, rest: readonly string[]] {
  const isName = (name: string) =>
    name === "help" || Object.hasOwn(groupSummaries, name) || commands.some((one) => one.name === name);
  for (const length of [2, 1]) {
    const name = words.slice(0, length).join(" ");
    if (words.length >= length && isName(name)) return [name, words.slice(length)];
  }
  return ["", words];
}

/** Lists the words that can follow a group name, `help` or the program name. */
function listNextWords(commands: readonly CommandFacts[], name: string): Candidate[] {
  const before = name === "" || name === "help" ? "" : `${name} `;
  const groups = Object.entries(groupSummaries).map(([group, summary]) => ({ name: group, summary }));
  const all = [...commands, ...groups, ...(name === "" ? [{ name: "help", summary: "show the help" }] : [])];
  const found = all.flatMap(({ name: other, summary }) => {
    const word = other.slice(before.length);
    return other.startsWith(before) && !word.includes(" ") ? [{ word, description: summary }] : [];
  });
  const pages = name === "help" ? listHelpPages(commands) : [];
  return [...found, ...pages.map((word) => ({ word, description: "documentation page" }))];
}

const paths: Readonly<Record<string, Candidates>> = {
  ...{ FILE: "files", PLAN: "files" },
  ...{ DIR: "folders", FOLDER: "folders" },
};

/** Lists allowed values, or returns the kind of path. Returns an empty list for free text. */
async function listValues(
  { flags = [], command, placeholder = "", choices }: Value,
  readValues: () => Promise<ProjectValues>,
): Promise<Candidates> {
  const name = placeholder.replace(/[<>[\].]/g, "");
  const written = `${command ?? flags.at(-1)} ${placeholder}`;
  const found = choices?.map((word) => ({ word })) ?? paths[name];
  const key = Object.hasOwn(projectValues, written) ? projectValues[written] : projectValues[name];
  return found ?? (key ? (await readValues())[key].map((word) => ({ word })) : []);
}

/** Project values to offer for a placeholder. A key that contains an option or command applies only there. */
const projectValues: Readonly<Record<string, keyof ProjectValues | undefined>> = {
  ADDRESS: "addresses",
  "--listen <ADDRESS>": undefined,
  FROM: "addresses",
  "diff [FROM]": "sides",
  "diff [TO]": "sides",
  PRESET: "presets",
  "--env <NAME>": "environments",
  "--from <NAME>": "environments",
  "--to <NAME>": "environments",
};

function filter(found: Candidates, start: string): Candidates {
  return typeof found === "string" ? found : found.filter(({ word }) => word.startsWith(start));
}
