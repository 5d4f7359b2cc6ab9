import { searchingPackages } from "../optional-packages/index.js";
import type { Call, CommandFacts } from "./command.js";
import { type ExitCode, exitCode } from "./exit-code.js";
import { Ended } from "./failure.js";
import type { Format } from "./format.js";
import type { Host } from "./host.js";
import type { Output, OutputOptions } from "./output.js";
import { stopSignals } from "./stop-signals.js";
import { version } from "./version.js";

/** Runs a command line; returns the exit code and never throws. */
export async function run(argv: readonly string[], host: Host): Promise<ExitCode> {
  // The most common call: answered without loading anything.
  if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) {
    host.stdout.write(`${version}\n`);
    return exitCode.done;
  }
  try {
    const [{ readArguments }, { commands }] = await Promise.all([
      import("./program.js"),
      import("./commands.js"),
    ]);
    const read = await readArguments(commands, argv, host);
    if ("exit" in read) return read.exit;
    const { facts, arguments: given, options } = read;
    return await searchingPackages({ cwd: host.cwd, argv }, () => runCommand(facts, given, options, host));
  } catch (error) {
    return fail(error, await createOutput(host, requestedOutput(argv)), new AbortController().signal);
  }
}

/** Output for a command line that cannot be parsed: a script that asked for JSON gets JSON. */
function requestedOutput(argv: readonly string[]): OutputOptions {
  const isJson = /(^| )--format[= ]json( |$)/.test(argv.join(" "));
  return { format: isJson ? "json" : "text", quiet: false, color: !argv.includes("--no-color") };
}

/** Loaded on demand: `--help` and `--version` need no rendering. */
async function createOutput(host: Host, options: OutputOptions): Promise<Output> {
  return (await import("./output.js")).createOutput(host, options);
}

async function fail(error: unknown, output: Output, signal: AbortSignal): Promise<ExitCode> {
  const { showFailure } = await import("./show-failure.js");
  return showFailure(error, output, signal);
}

async function runCommand(
  facts: CommandFacts,
  given: Call["arguments"],
  options: Call["options"],
  host: Host,
): Promise<ExitCode> {
  const output = await createOutput(host, {
    format: (options.format as Format | undefined) ?? facts.formats?.[0] ?? "text",
    quiet: options.quiet === true,
    color: options.color !== false,
    jsonLines: facts.jsonLines === true,
  });
  const stopping = stopSignals(host);
  const opened: Call["opened"] = {};
  try {
    const [{ command }, call] = await Promise.all([
      facts.load(),
      settled({ host, output, arguments: given, options, opened, ...stopping }),
    ]);
    return await command(call);
  } catch (error) {
    if (error instanceof Ended) return error.exit;
    return fail(error, output, stopping.signal);
  } finally {
    await opened.sources?.close();
  }
}

/** The call in the environment it asks for. Most calls have no `--env-file` and load nothing for it. */
async function settled(call: Call): Promise<Call> {
  if (call.options.envFile === undefined) return call;
  return (await import("./environment.js")).withEnvironmentFiles(call);
}
