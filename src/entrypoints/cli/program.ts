import { Argument, Command, CommanderError, Help, InvalidArgumentError, Option } from "commander";
import { UsageError } from "../../base/diagnostics/index.js";
import { capitalise } from "../../base/text/index.js";
import { version } from "../../base/version/index.js";
import { commandOptions, type LoadableCommand, type SharedOptions } from "./command.js";
import { type ExitCode, exitCode, exitCodeMeanings } from "./exit-code.js";
import { type OptionFacts, writtenOptions } from "./facts/option.js";
import type { Host } from "./host.js";
import { pageNames, readPage } from "./pages.js";

/** The command that was called, or the exit code if only help was shown. */
export type ParseResult = ParsedCommand | { readonly exit: ExitCode };

/** A call of a command, as it was written. */
export interface ParsedCommand {
  readonly command: LoadableCommand;
  readonly arguments: readonly unknown[];
  readonly options: SharedOptions;
}

/**
 * Parses a command line.
 *
 * @throws UsageError for an unknown command or flag, an invalid value, or too many or too few arguments.
 */
export async function readArguments(
  commands: readonly LoadableCommand[],
  argv: readonly string[],
  host: Host,
): Promise<ParseResult> {
  const page = pageAsked(argv, commands);
  if (page !== undefined) {
    host.stdout.write(readPage(page));
    return { exit: exitCode.done };
  }
  let read: ParseResult = { exit: exitCode.done };
  // Only what can have been called: all of them take a tenth of a short command.
  const called = commands.filter(({ name }) => name.split(" ")[0] === argv[0]);
  const program = buildProgram(called.length > 0 ? called : commands, host, (called) => {
    read = called;
  });
  try {
    await program.parseAsync(withHelpAsOption(argv, commands), { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.message.startsWith(complaint)) throw new UsageError("usage", toSentence(error.message));
    // Without a command, help is an error; with --help, it is the result.
    return { exit: error.exitCode === 0 ? exitCode.done : exitCode.failed };
  }
  return read;
}

/** The page that `help PAGE` names; a command of the same name comes first, and the page is `PAGE.md` then. */
function pageAsked([first, name, ...more]: readonly string[], commands: readonly LoadableCommand[]) {
  if (first !== "help" || name === undefined || more.length > 0) return undefined;
  if (commands.some((command) => `${command.name} `.startsWith(`${name} `))) return undefined;
  const page = name.replace(/\.md$/, "");
  return pageNames().includes(page) ? page : undefined;
}

/** The last part of the help of all commands. */
function pageLines(commands: readonly LoadableCommand[]): string {
  const taken = new Set(commands.map(({ name }) => name.split(" ")[0]));
  if (pageNames().length === 0) return "";
  const names = pageNames().map((name) => (taken.has(name) ? `${name}.md` : name));
  const lines = new Help().boxWrap(names.join(" "), 74).replace(/^/gm, "    ");
  return `\nPages of the documentation, for \`avatarops help PAGE\`:\n${lines}`;
}

/**
 * Handles `help state list` as `state list --help`: commander's own `help` takes one word, and shows
 * everything if that is unknown.
 */
function withHelpAsOption(argv: readonly string[], commands: readonly LoadableCommand[]): string[] {
  if (argv[0] !== "help") return [...argv];
  const words = argv.slice(1).filter((word) => !word.startsWith("-"));
  const name = words.join(" ");
  const isKnown = words.length === 0 || commands.some((command) => `${command.name} `.startsWith(`${name} `));
  if (isKnown) return [...words, "--help"];
  throw new UsageError("usage", `unknown command '${name}'. ${advice}`);
}

/** How commander's error messages start. */
const complaint = "error: ";
const advice = "Add --help to see its usage.";
/** Node obeys `--env-file` also after the name of a script. */
const readByNode =
  "--env-file is not an option of avatarops: Node.js reads such a file itself, and runs what NODE_OPTIONS in it names. Use --dotenv FILE.";

/** Commander's error message as one line in our style: what is wrong, what may be meant, what to do. */
function toSentence(message: string): string {
  const said = message.slice(complaint.length).replace(/\n\(Did you mean (.+)\)$/, ": did you mean $1");
  if (said.startsWith("unknown option '--env-file")) return readByNode;
  return `${said}${/[.?]$/.test(said) ? "" : "."} ${advice}`;
}

type OnCall = (called: ParsedCommand) => void;

function buildProgram(commands: readonly LoadableCommand[], host: Host, onCall: OnCall): Command {
  const exitCodeLines = exitCodeMeanings.map(([code, meaning]) => `${String(code).padStart(4)}  ${meaning}`);
  const program = configure(new Command("avatarops"), host)
    .description("Interactive avatars as code: plan and apply the objects of an account from files.")
    .version(version, "-V, --version", "print the version")
    .addHelpText("after", `\nExit codes:\n${exitCodeLines.join("\n")}`)
    .addHelpText("after", () => pageLines(commands));
  const parents = new Map<string, Command>();
  for (const facts of commands) {
    program.commandsGroup(`${facts.group}:`);
    const words = facts.name.split(" ");
    const parent = words.length === 1 ? program : groupNamed(program, parents, words[0] as string, host);
    const command = buildCommand(facts, words.at(-1) as string, host, onCall);
    parent.addCommand(command);
    if (words.length === 1) parents.set(facts.name, command);
  }
  return program.helpCommand("help [command]", "show the help of a command, or a page of the documentation");
}

function groupNamed(program: Command, parents: Map<string, Command>, name: string, host: Host): Command {
  const known = parents.get(name);
  if (known) return known;
  const summary = groupSummaries[name] ?? "";
  const made = configure(new Command(name), host)
    .description(sentence(summary))
    .summary(summary)
    .helpCommand("help [command]", "show the help of a command");
  parents.set(name, made);
  program.addCommand(made);
  return made;
}

/** Summaries of the groups of commands with a name of two words. */
export const groupSummaries: Readonly<Record<string, string>> = {
  state: "inspect and repair the state",
  generate: "print types, presets and schemas, for applications and editors",
  sessions: "list sessions and what they cost",
  terraform: "manage the same objects with Terraform or OpenTofu",
};

function buildCommand(facts: LoadableCommand, name: string, host: Host, onCall: OnCall): Command {
  const options = commandOptions(facts);
  const command = configure(new Command(name), host)
    .description(sentence(facts.summary))
    .summary(facts.summary);
  for (const [placeholder, description, choices] of facts.arguments ?? []) {
    const argument = new Argument(placeholder, description);
    command.addArgument(choices ? argument.choices(choices) : argument);
  }
  for (const option of writtenOptions(options)) command.addOption(toOption(option));
  command.addHelpText(
    "after",
    `\nExamples:\n${facts.examples.map(([line, does]) => `  $ ${line}\n      ${does}`).join("\n")}`,
  );
  command.action((...passed: unknown[]) => {
    onCall({
      command: facts,
      arguments: passed.slice(0, -2),
      // Their types are those that the options declare: each is what `parse` made, or `absent`.
      options: Object.fromEntries(
        Object.entries(options).map(([key, { absent }]) => [key, command.opts()[key] ?? absent]),
      ) as unknown as SharedOptions,
    });
  });
  return command;
}

function sentence(summary: string): string {
  return `${capitalise(summary)}.`;
}

function toOption(facts: OptionFacts): Option {
  const { flags, description, choices, preset, mandatory, repeatable, parse, absent } = facts;
  const option = new Option(flags, description).makeOptionMandatory(mandatory === true);
  if (choices) option.choices(choices);
  if (preset !== undefined) option.default(absent, preset);
  if (repeatable) {
    option.argParser((text: string, before: string[] | undefined) => [...(before ?? []), text]);
  } else if (parse) {
    option.argParser((text: string) => {
      try {
        return parse(text);
      } catch (error) {
        throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
      }
    });
  }
  return repeatable || !option.required ? option : givenOnce(option);
}

/** Refuses a second value: commander would take the last one without a word. */
function givenOnce(option: Option): Option {
  const { parseArg } = option;
  let isGiven = false;
  return option.argParser((text: string, before: unknown) => {
    if (isGiven) throw new InvalidArgumentError("The option is given twice, and takes one value.");
    isGiven = true;
    return parseArg ? parseArg(text, before) : text;
  });
}

/** Settings shared by all commands: where they write, and that they throw instead of ending the process. */
function configure(command: Command, host: Host): Command {
  return (
    command
      .exitOverride()
      // Options belong to the command before them: `emulate` and `emulate edit` share some.
      .enablePositionalOptions()
      .helpOption("-h, --help", "show this help")
      .configureOutput({
        writeOut: (text) => void host.stdout.write(text),
        writeErr: (text) => void host.stderr.write(text),
        // Errors are thrown too; the caller prints them.
        outputError: () => {},
        getOutHelpWidth: () => host.stdout.columns || 80,
        getErrHelpWidth: () => host.stderr.columns || 80,
        getOutHasColors: () => false,
        getErrHasColors: () => false,
      })
  );
}
