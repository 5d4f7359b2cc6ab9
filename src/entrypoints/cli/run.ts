import { version } from "../../base/version/index.js";
import type { StopSignals } from "../../operations/index.js";
import type { Call } from "./command.js";
import { type ExitCode, exitCode } from "./exit-code.js";
import type { Host } from "./host.js";
import type { Output, OutputOptions } from "./output.js";
import type { ParsedCommand } from "./program.js";

/** Runs a command line and returns its exit code. Never throws. */
export async function run(argv: readonly string[], host: Host): Promise<ExitCode> {
  try {
    const [{ parseArguments }, { commands }] = await Promise.all([
      import("./program.js"),
      import("./commands.js"),
    ]);
    const parsed = await parseArguments(commands, argv, host);
    if ("exit" in parsed) return parsed.exit;
    return await runCommand(parsed, host, argv);
  } catch (error) {
    // Scripts that request JSON get JSON even if the command line cannot be parsed.
    const isJson = /(^| )--format[= ]json( |$)/.test(argv.join(" "));
    const options = { quiet: false, color: !argv.includes("--no-color") };
    const output = await createOutput(host, { format: isJson ? "json" : "text", ...options });
    return fail(error, output, new AbortController().signal);
  }
}

const loadLibrary = () => import("../../index.js");

/** Creates the output. Rendering is loaded on demand, because `--help` and `--version` do not need it. */
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
  const outputOptions = {
    ...{ color, quiet, format: format ?? facts.formats?.[0] ?? "text" },
    project: readProjectOptions(facts, given.options as object),
    jsonLines: facts.jsonLines === true,
  };
  let output = await createOutput(host, outputOptions);
  const stopping = createStopSignals(host);
  const opened: Call["opened"] = {};
  try {
    const pinned = unpinned === false ? { pinned: true } : {};
    const options = {
      ...given.options,
      ...pinned,
      ...(await findProject(facts, given.options, host, output)),
    };
    const call = {
      ...{ host: { ...host, version, loadLibrary }, output, argv, ...given },
      ...{ options, allowCode, opened, ...stopping },
    };
    const [command, called] = await Promise.all([
      facts.load(),
      // Loaded on demand, because most calls have no `--dotenv`.
      dotenv?.length ? import("./environment.js").then((env) => env.withEnvironmentFiles(call)) : call,
    ]);
    // A `--dotenv` file may set NO_COLOR or FORCE_COLOR.
    if (called !== call) output = await createOutput(called.host, outputOptions);
    return (await command({ ...called, output })) ?? exitCode.done;
  } catch (error) {
    return fail(error, output, stopping.signal);
  } finally {
    await opened.sources?.close();
  }
}

/** Finds the project in a parent folder, for a command that reads the current folder's project. */
async function findProject(
  { name, options = {} }: ParsedCommand["command"],
  given: ProjectChoice & { readonly untrusted?: boolean; readonly project?: boolean },
  host: Host,
  output: Output,
): Promise<{ readonly file?: string }> {
  // `sync` has its own checkout, and the files of an untrusted change must not choose the project.
  const isOther = name === "sync" || !("file" in options) || given.project === false;
  if (isOther || given.file !== undefined || given.untrusted || hasManyProjects(options, given)) return {};
  const { findProjectAbove } = await import("./project-above.js");
  const file = findProjectAbove(host);
  if (file === undefined) return {};
  output.info(`Using the project ${file}.`);
  return { file };
}

/** Returns the options that choose the project. Returns none with `--all`, because each project then has its own. */
function readProjectOptions(
  { options = {} }: ParsedCommand["command"],
  { file, env = [], all = false }: ProjectChoice,
): OutputOptions["project"] {
  return hasManyProjects(options, { all }) ? {} : { file, env: [env].flat()[0] };
}

/** Returns whether `--all` selects projects. In `import --all`, it selects the objects of one project. */
function hasManyProjects(options: object, { all = false }: ProjectChoice): boolean {
  return all && "path" in options;
}

interface ProjectChoice {
  readonly file?: string;
  /** Environment, or a list of environments for a command that takes `--all`. */
  readonly env?: string | readonly string[];
  readonly all?: boolean;
}

/**
 * Handles only the first signal, and only while work must be finished. A permanent handler would run only between turns
 * of the event loop, so a busy process could not be stopped. The second signal ends the process. The journal then lets
 * the next run find the results of the interrupted requests.
 */
function createStopSignals(host: Host): StopSignals {
  const stop = new AbortController();
  const listening = new Set<() => void>();
  const stopRun = (signal: string) => {
    for (const forget of listening) forget();
    stop.abort(new Error(signal));
  };
  const runWithListeners = async <Result>(
    listen: (callback: (signal: string) => void) => () => void,
    work: () => Promise<Result>,
  ): Promise<Result> => {
    if (stop.signal.aborted) return work();
    const forget = listen(stopRun);
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
    runToEnd: (work) => runWithListeners((callback) => host.onStop(callback), work),
    runCleanup: (work) => runWithListeners((callback) => host.onInterrupt(callback), work),
  };
}
