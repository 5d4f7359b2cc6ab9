import { version } from "../../base/version/index.js";
import type { StopSignals } from "../../operations/index.js";
import type { Call } from "./command.js";
import { type ExitCode, exitCode } from "./exit-code.js";
import type { Host } from "./host.js";
import type { Output, OutputOptions } from "./output.js";
import type { ParsedCommand } from "./program.js";

/** Runs a command line; returns the exit code and never throws. */
export async function run(argv: readonly string[], host: Host): Promise<ExitCode> {
  try {
    const [{ readArguments }, { commands }] = await Promise.all([
      import("./program.js"),
      import("./commands.js"),
    ]);
    const read = await readArguments(commands, argv, host);
    if ("exit" in read) return read.exit;
    return await runCommand(read, host, argv);
  } catch (error) {
    // A script that asked for JSON gets JSON, even if its command line cannot be parsed.
    const isJson = /(^| )--format[= ]json( |$)/.test(argv.join(" "));
    const options = { quiet: false, color: !argv.includes("--no-color") };
    const output = await createOutput(host, { format: isJson ? "json" : "text", ...options });
    return fail(error, output, new AbortController().signal);
  }
}

const library = () => import("../../index.js");

/** Loaded on demand: `--help` and `--version` need no rendering. */
async function createOutput(host: Host, options: OutputOptions): Promise<Output> {
  return (await import("./create-output.js")).createOutput(host, options);
}

async function fail(error: unknown, output: Output, signal: AbortSignal): Promise<ExitCode> {
  const { showFailure } = await import("./show-failure.js");
  return showFailure(error, output, signal);
}

async function runCommand(
  { command: facts, ...given }: ParsedCommand,
  host: Host,
  argv: readonly string[],
): Promise<ExitCode> {
  const { color, quiet, format, dotenv, unpinned, untrusted, allowCode = !untrusted } = given.options;
  const output = await createOutput(host, {
    ...{ color, quiet, format: format ?? facts.formats?.[0] ?? "text" },
    project: chosenProject(facts, given.options as object),
    jsonLines: facts.jsonLines === true,
  });
  const stopping = stopSignals(host);
  const opened: Call["opened"] = {};
  const options = unpinned === false ? { ...given.options, pinned: true } : given.options;
  const call = {
    ...{ host: { ...host, version, library }, output, argv, ...given },
    ...{ options, allowCode, opened, ...stopping },
  };
  try {
    const [command, called] = await Promise.all([
      facts.load(),
      // Most calls have no `--dotenv` and load nothing for it.
      dotenv?.length ? import("./environment.js").then((env) => env.withEnvironmentFiles(call)) : call,
    ]);
    return (await command(called)) ?? exitCode.done;
  } catch (error) {
    return fail(error, output, stopping.signal);
  } finally {
    await opened.sources?.close();
  }
}

/** Which options choose the project; with `--all` for several projects, each would need others. */
function chosenProject(
  { options = {} }: ParsedCommand["command"],
  { file, env = [], all = false }: ProjectChoice,
): OutputOptions["project"] {
  const isOfProjects = all && "path" in options;
  return isOfProjects ? {} : { file, env: [env].flat()[0] };
}

interface ProjectChoice {
  readonly file?: string;
  /** A list for a command that takes `--all`. */
  readonly env?: string | readonly string[];
  readonly all?: boolean;
}

/**
 * JavaScript handles a signal only between two turns, and a registered handler disables the default action: a
 * process with a permanent handler cannot be stopped while it computes. So handlers exist only while work
 * must be finished, and only for the first signal; the second one ends the process in any case. The journal
 * then has what was sent, and the next run looks for it.
 */
function stopSignals(host: Host): StopSignals {
  const stop = new AbortController();
  const listening = new Set<() => void>();
  const stopped = (signal: string) => {
    for (const forget of listening) forget();
    stop.abort(new Error(signal));
  };
  const during = async <Result>(
    listen: (callback: (signal: string) => void) => () => void,
    work: () => Promise<Result>,
  ): Promise<Result> => {
    if (stop.signal.aborted) return work();
    const forget = listen(stopped);
    listening.add(forget);
    try {
      return await work();
    } finally {
      forget();
      listening.delete(forget);
    }
  };
  return {
    signal: stop.signal,
    finishing: (work) => during((callback) => host.onStop(callback), work),
    releasing: (work) => during((callback) => host.onInterrupt(callback), work),
  };
}
