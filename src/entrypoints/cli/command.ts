import type { OperationHost, Runtime } from "../../operations/index.js";
import type { ExitCode } from "./exit-code.js";
import type { DeclaredOptions, OptionValues } from "./facts/option.js";
import {
  commonOptions,
  type environmentOptions,
  formatOption,
  type serviceOptions,
  type untrustedOptions,
} from "./facts/shared-options.js";
import type { Host } from "./host.js";
import type { Format, Output } from "./output.js";

/** What the user sees of a command. */
export interface CommandFacts {
  /** Including the parent command: "state list". */
  readonly name: string;
  readonly summary: string;
  /** Placeholders such as `<ADDRESS>`, `[PLAN]`, `[ADDRESS...]`, what they mean, and the only words that there are for them. */
  readonly arguments?: readonly (readonly [
    placeholder: string,
    description: string,
    choices?: readonly string[],
  ])[];
  readonly options?: DeclaredOptions;
  /** Allowed values of `--format`; the first is the default. */
  readonly formats?: readonly Format[];
  /** With `--format json`, it writes several documents, each as one line. */
  readonly jsonLines?: true;
  /** Further exit codes, and when: a clause after "when". */
  readonly exits?: readonly (readonly [ExitCode, string])[];
  /** Command lines, and what each does. */
  readonly examples: readonly (readonly [line: string, does: string])[];
}

/** A command whose code is loaded when it is called. */
export interface LoadableCommand extends CommandFacts {
  /** What it is for, in `--help`: "Every day". */
  readonly group: string;
  readonly load: () => Promise<(call: Call) => Promise<ExitCode | undefined>>;
}

/** The options of a command, in the order of its help. */
export function commandOptions({ options, formats = [] }: CommandFacts): DeclaredOptions {
  return { ...options, ...(formats.length > 1 && { format: formatOption(formats) }), ...commonOptions };
}

/** The same as a type. The format is that of the output. */
type CommandOptions<Facts> = (Facts extends { readonly options: infer Declared } ? Declared : unknown) &
  typeof commonOptions;

type CommandArguments<Facts> = Facts extends { readonly arguments: infer Declared }
  ? { readonly [At in keyof Declared]: ArgumentValue<Declared[At]> }
  : readonly [];

type ArgumentValue<Declared> = Declared extends readonly [`${string}...${string}`, ...unknown[]]
  ? readonly string[]
  : ArgumentChoice<Declared> | (Declared extends readonly [`<${string}`, ...unknown[]] ? never : undefined);

type ArgumentChoice<Declared> = Declared extends readonly [string, string, readonly (infer Choice)[]]
  ? Choice
  : string;

/** One call of a command: the runtime of the operations that it calls, and its command line. */
export interface Call<Options = SharedOptions, Arguments = unknown> extends Omit<Runtime, "options"> {
  readonly host: Host & OperationHost;
  readonly output: Output;
  readonly arguments: Arguments;
  /** The words of the command line. */
  readonly argv: readonly string[];
  /** Keyed as they are declared: by the long name in camel case. */
  readonly options: Options;
}

/** A call of the command with these facts: `CommandCall<typeof planCommand>`. */
export type CommandCall<Facts> = Call<OptionValues<CommandOptions<Facts>>, CommandArguments<Facts>>;

/** The options that are read whatever the command is: of a command that does not have them, they are absent. */
export type SharedOptions = OptionValues<typeof commonOptions> &
  Partial<OptionValues<typeof environmentOptions & typeof untrustedOptions & typeof serviceOptions>> & {
    readonly format?: Format;
    /** Of a command that runs code of the project only if told to. */
    readonly allowCode?: boolean;
    /** `false` means pinned, for a command that has it. */
    readonly unpinned?: boolean;
  };

/** The code of the command with these facts. Nothing as an exit code: it is done. */
export type RunCommand<Facts> = (call: CommandCall<Facts>) => Promise<ExitCode> | Promise<void>;
