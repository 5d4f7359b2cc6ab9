import type { ExitCode } from "./exit-code.js";
import type { Format } from "./format.js";
import type { Host } from "./host.js";
import type { Output } from "./output.js";
import type { StopSignals } from "./stop-signals.js";

/** One command as the user sees it. What it does is loaded when it is called. */
export interface CommandFacts {
  /** With the words of its parent: "state list". */
  readonly name: string;
  readonly summary: string;
  /** Placeholders as in `<ADDRESS>`, `[PLAN]`, `[ADDRESS...]`, with what they are. */
  readonly arguments?: readonly (readonly [placeholder: string, description: string])[];
  readonly options?: readonly OptionFacts[];
  /** Reads the manifest: takes `--file` and `--env`. */
  readonly ofProject?: true;
  /** Sends requests to the service: takes `--base-url` and `--pinned`. */
  readonly reachesService?: true;
  /** What `--format` may be; the first is the default. */
  readonly formats?: readonly Format[];
  /** What else the help shows. */
  readonly help?: readonly HelpSection[];
  /** A line to run, and what it does. */
  readonly examples: readonly (readonly [line: string, does: string])[];
  readonly load: () => Promise<{ readonly command: RunCommand }>;
}

/** A table of the help: what can be written, and what it means. */
export interface HelpSection {
  readonly title: string;
  readonly rows: readonly (readonly [written: string, means: string])[];
}

export interface OptionFacts {
  /** As in `--out <FILE>`. */
  readonly flags: string;
  readonly description: string;
  readonly choices?: readonly string[];
  /** Shown and given when the option is not. */
  readonly preset?: string;
  /** May be given several times: an array. */
  readonly repeatable?: true;
  /** Turns the text into a value, or throws an Error whose message ends the sentence "… is invalid.". */
  readonly parse?: (text: string) => unknown;
}

/** One call of a command. */
export interface Call extends StopSignals {
  readonly host: Host;
  readonly output: Output;
  readonly arguments: readonly (string | readonly string[] | undefined)[];
  /** By camel-cased long name. */
  readonly options: Readonly<Record<string, unknown>>;
}

export type RunCommand = (call: Call) => Promise<ExitCode>;

/** The option as a string; undefined where it is not given. */
export function textOption({ options }: Call, name: string): string | undefined {
  const value = options[name];
  return typeof value === "string" ? value : undefined;
}

/** The option as a number; undefined where it is not given. */
export function numberOption({ options }: Call, name: string): number | undefined {
  const value = options[name];
  return typeof value === "number" ? value : undefined;
}

/** The values of a repeatable option. */
export function listOption({ options }: Call, name: string): readonly string[] {
  const value = options[name];
  return Array.isArray(value) ? value : [];
}

/** Whether a switch is on. */
export function isOn({ options }: Call, name: string): boolean {
  return options[name] === true;
}

/** The one argument at that place; for required ones. */
export function textArgument({ arguments: given }: Call, at: number): string {
  const value = given[at];
  if (typeof value !== "string") throw new Error(`Bug: argument ${at} is required and not there`);
  return value;
}
