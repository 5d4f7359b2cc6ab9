import { Argument, Command, CommanderError, Help, InvalidArgumentError, Option } from "commander";
import { UsageError } from "../../base/diagnostics/index.js";
import { capitalize } from "../../base/text/index.js";
import { version } from "../../base/version/index.js";
import {
  type CommandFacts,
  type LoadableCommand,
  listCommandOptions,
  type SharedOptions,
} from "./command.js";
import { type ExitCode, exitCode, exitCodeMeanings } from "./exit-code.js";
import { expandNegated, type OptionFacts } from "./facts/option.js";
import type { Host } from "./host.js";
import { listPages, readPage } from "./manual-pages.js";

/** Parsed command, or the exit code if only help was shown. */
export type ParseResult = ParsedCommand | { readonly exit: ExitCode };

export interface ParsedCommand {
  readonly command: LoadableCommand;
  readonly arguments: readonly unknown[];
  readonly options: SharedOptions;
}

/** Parses a command line. @throws UsageError for unknown commands or flags, invalid values, or a wrong number of arguments. */
export async function parseArguments(
  commands: readonly LoadableCommand[],
  argv: readonly string[],
  host: Host,
): Promise<ParseResult> {
  const page = findRequestedPage(argv, commands);
  if (page !== undefined) {
    host.stdout.write(readPage(page));
    return { exit: exitCode.done };
  }
  let result: ParseResult = { exit: exitCode.done };
  // Only matching commands are built, because building all takes a tenth of a short command's time.
  const called = commands.filter(({ name }) => name.split(" ")[0] === argv[0]);
  const program = buildProgram(called.length > 0 ? called : commands, host, (called) => {
    result = called;
  });
  try {
    await program.parseAsync(withHelpAsOption(argv, commands), { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.message.startsWith(errorPrefix)) throw new UsageError("usage", toSentence(error.message));
    // Help printed because the command is missing counts as a failure. With --help, it is a result.
    return { exit: error.exitCode === 0 ? exitCode.done : exitCode.failed };
  }
  return result;
}

/** Finds the page for `help PAGE`. A page that shares a command's name is requested as `PAGE.md`. */
function findRequestedPage([first, name, ...more]: readonly string[], commands: readonly LoadableCommand[]) {
  if (first !== "help" || name === undefined || more.length > 0) return undefined;
  if (commands.some((command) => `${command.name} `.startsWith(`${name} `))) return undefined;
  const page = name.replace(/\.md$/, "");
  return listPages().includes(page) ? page : undefined;
}

/** Lists the page names that `help` accepts. A page that shares a command's name gets `.md`. */
export function listHelpPages(commands: readonly CommandFacts[]): string[] {
  const taken = new Set(commands.map(({ name }) => name.split(" ")[0]));
  return listPages().map((name) => (taken.has(name) ? `${name}.md` : name));
}

/** Renders the list of pages at the end of the main help. */
function renderPageList(commands: readonly LoadableCommand[]): string {
  const names = listHelpPages(commands);
  if (names.length === 0) return "";
  const lines = new Help().boxWrap(names.join(" "), 74).replace(/^/gm, "    ");
  return `\nDocumentation pages, for \`avatarops help PAGE\`:\n${lines}`;
}

/** Treats `help state list` as `state list --help`. Commander's `help` takes one word, and ignores unknown words. */
function withHelpAsOption(argv: readonly string[], commands: readonly LoadableCommand[]): string[] {
  if (argv[0] !== "help") return [...argv];
  const words = argv.slice(1).filter((word) => !word.startsWith("-"));
  const name = words.join(" ");
  const isKnown = words.length === 0 || commands.some((command) => `${command.name} `.startsWith(`${name} `));
  if (isKnown) return [...words, "--help"];
  throw new UsageError("usage", `unknown command '${name}'. ${advice}`);
}

/** Prefix of commander's error messages. */
const errorPrefix = "error: ";
const advice = "Add --help to see the usage.";
/** Message for `--env-file`, which Node accepts even after the script name. */
const envFileProblem =
  "avatarops has no --env-file option. Node.js reads that file itself and applies any NODE_OPTIONS in it. Use --dotenv FILE.";

/** Converts commander's error message to one line in our style. */
function toSentence(message: string): string {
  const problem = message.slice(errorPrefix.length).replace(/\n\(Did you mean (.+)\)$/, ". Did you mean $1");
  if (problem.startsWith("unknown option '--env-file")) return envFileProblem;
  return `${problem}${/[.?]$/.test(problem) ? "" : "."} ${advice}`;
}

type OnCall = (called: ParsedCommand) => void;

function buildProgram(commands: readonly LoadableCommand[], host: Host, onCall: OnCall): Command {
  const exitCodeLines = exitCodeMeanings.map(([code, meaning]) => `${String(code).padStart(4)}  ${meaning}`);
  const program = configure(new Command("avatarops"), host)
    .description("Interactive avatars as code. Plans and applies an account's objects from files.")
    .version(version, "-V, --version", "print the version")
    .addHelpText("after", `\nExit codes:\n${exitCodeLines.join("\n")}`)
    .addHelpText("after", () => renderPageList(commands));
  const parents = new Map<string, Command>();
  for (const facts of commands) {
    program.commandsGroup(`${facts.group}:`);
    const words = facts.name.split(" ");
    const parent = words.length === 1 ? program : findGroup(program, parents, words[0] as string, host);
    const command = buildCommand(facts, words.at(-1) as string, host, onCall);
    parent.addCommand(command);
    if (words.length === 1) parents.set(facts.name, command);
  }
  return program.helpCommand("help [command]", "show help for a command, or a documentation page");
}

/** Returns the parent command with this name. Adds it if it does not exist yet. */
function findGroup(program: Command, parents: Map<string, Command>, name: string, host: Host): Command {
  const known = parents.get(name);
  if (known) return known;
  const summary = groupSummaries[name] ?? "";
  const made = configure(new Command(name), host)
    .description(toDescription(summary))
    .summary(summary)
    .helpCommand("help [command]", "show help for a command");
  parents.set(name, made);
  program.addCommand(made);
  return made;
}

/** Summaries of parent commands such as `state`. */
export const groupSummaries: Readonly<Record<string, string>> = {
  state: "inspect and repair the state",
  generate: "print types, presets and schemas for applications and editors",
  sessions: "show, report, watch and stop sessions",
  terraform: "use Terraform or OpenTofu instead of a manifest",
};

function buildCommand(facts: LoadableCommand, name: string, host: Host, onCall: OnCall): Command {
  const options = listCommandOptions(facts);
  const command = configure(new Command(name), host)
    .description(toDescription(facts.summary))
    .summary(facts.summary);
  for (const [placeholder, description, choices] of facts.arguments ?? []) {
    const argument = new Argument(placeholder, description);
    command.addArgument(choices ? argument.choices(choices) : argument);
  }
  for (const option of expandNegated(options)) command.addOption(toOption(option));
  command.addHelpText(
    "after",
    `\nExamples:\n${facts.examples.map(([line, does]) => `  $ ${line}\n      ${does}`).join("\n")}`,
  );
  command.action((...passed: unknown[]) => {
    onCall({
      command: facts,
      arguments: passed.slice(0, -2),
      // Each value comes from `parse` or `absent`, so it has its declared type.
      options: Object.fromEntries(
        Object.entries(options).map(([key, { absent }]) => [key, command.opts()[key] ?? absent]),
      ) as unknown as SharedOptions,
    });
  });
  return command;
}

function toDescription(summary: string): string {
  return `${capitalize(summary)}.`;
}

function toOption(facts: OptionFacts): Option {
  const { flags, description, choices, defaultText, mandatory, repeatable, parse, absent } = facts;
  const shown = mandatory ? `${description} (required)` : description;
  const option = new Option(flags, shown).makeOptionMandatory(mandatory === true);
  if (choices) option.choices(choices);
  if (defaultText !== undefined) option.default(absent, defaultText);
  if (repeatable) {
    const { parseArg } = option;
    option.argParser((text: string, before: string[] | undefined) => [
      ...(before ?? []),
      parseArg?.(text, undefined) ?? text,
    ]);
  } else if (parse) {
    option.argParser((text: string) => {
      try {
        return parse(text);
      } catch (error) {
        throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
      }
    });
  }
  return repeatable || !option.required ? option : rejectRepeats(option);
}

/** Rejects a second value. Commander would silently use the last value. */
function rejectRepeats(option: Option): Option {
  const { parseArg } = option;
  let isGiven = false;
  return option.argParser((text: string, before: unknown) => {
    if (isGiven) throw new InvalidArgumentError("The option takes one value, but was given twice.");
    isGiven = true;
    return parseArg ? parseArg(text, before) : text;
  });
}

/** Configures a command so that output goes to the host, and errors throw instead of ending the process. */
function configure(command: Command, host: Host): Command {
  return (
    command
      .exitOverride()
      // `emulate` and `emulate edit` have options of the same name, so each option belongs to the command that precedes
      // it.
      .enablePositionalOptions()
      .helpOption("-h, --help", "show this help")
      .configureOutput({
        writeOut: (text) => void host.stdout.write(text),
        writeErr: (text) => void host.stderr.write(text),
        // Errors are also thrown, and the caller prints them.
        outputError: () => {},
        getOutHelpWidth: () => host.stdout.columns || 80,
        getErrHelpWidth: () => host.stderr.columns || 80,
        getOutHasColors: () => false,
        getErrHasColors: () => false,
      })
  );
}
