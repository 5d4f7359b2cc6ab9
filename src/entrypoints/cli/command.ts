import type { OperationHost, Runtime } from "../../operations/index.js";
import type { ExitCode } from "./exit-code.js";
import type { DeclaredOptions, OptionValues } from "./facts/option.js";
import {
  commonOptions,
  defineFormatOption,
  type environmentOptions,
  type serviceOptions,
  type untrustedOptions,
} from "./facts/shared-options.js";
import type { Host } from "./host.js";
import type { Format, Output } from "./output.js";

/** User-visible description of a command. */
export interface CommandFacts {
  /** Full name, including the parent command, such as "state list". */
  readonly name: string;
  readonly summary: string;
  /** Placeholders such as `<ADDRESS>`, `[PLAN]` or `[ADDRESS...]`, each with its description and allowed values. */
  readonly arguments?: readonly (readonly [
    placeholder: string,
    description: string,
    choices?: readonly string[],
  ])[];
  readonly options?: DeclaredOptions;
  /** Allowed values of `--format`. The first is the default. */
  readonly formats?: readonly Format[];
  /** Whether `--format json` writes several documents, one per line. */
  readonly jsonLines?: true;
  /** Exit codes in addition to 0, each with a clause that completes "when". */
  readonly exits?: readonly (readonly [ExitCode, string])[];
  /** Command lines, each with a description that starts with a verb. */
  readonly examples: readonly (readonly [line: string, does: string])[];
}

/** A command whose code is loaded when it is called. */
export interface LoadableCommand extends CommandFacts {
  /** Command heading in `--help`, such as "Every day". */
  readonly group: string;
  readonly load: () => Promise<(call: Call) => Promise<ExitCode | undefined>>;
}

/** Returns a command's options in help order. */
export function listCommandOptions({ options, formats = [] }: CommandFacts): DeclaredOptions {
  return { ...options, ...(formats.length > 1 && { format: defineFormatOption(formats) }), ...commonOptions };
}

/** Type of a command's option values. Excludes `--format`, which is part of the call's output. */
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

/** Call of a command, with its command line and the runtime for its operations. */
export interface Call<Options = SharedOptions, Arguments = unknown> extends Omit<Runtime, "options"> {
  readonly host: Host & OperationHost;
  readonly output: Output;
  readonly arguments: Arguments;
  /** Command line words. */
  readonly argv: readonly string[];
  /** Option values by their long names in camel case. */
  readonly options: Options;
}

/** Parsed call to a command, such as `CommandCall<typeof planCommand>`. */
export type CommandCall<Facts> = Call<OptionValues<CommandOptions<Facts>>, CommandArguments<Facts>>;

/** Options that shared code reads. Undefined for commands that do not declare them. */
export type SharedOptions = OptionValues<typeof commonOptions> &
  Partial<OptionValues<typeof environmentOptions & typeof untrustedOptions & typeof serviceOptions>> & {
    readonly format?: Format;
    /** Whether to run the project's code, for commands that do not do so by default. */
    readonly allowCode?: boolean;
    /** Whether files may choose where credentials are sent. If `false`, only the environment decides. */
    readonly unpinned?: boolean;
  };

/** Implementation of a command. Returns the exit code, or nothing for 0. */
export type RunCommand<Facts> = (call: CommandCall<Facts>) => Promise<ExitCode> | Promise<void>;
