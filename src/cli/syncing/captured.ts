import type { DiagnosticsDocument, ErrorDocument } from "../../documents/index.js";
import type { Call, RunCommand } from "../command.js";
import { Ended } from "../failure.js";
import type { Terminal } from "../host.js";
import type { Output } from "../output.js";
import { showFailure } from "../show-failure.js";

/**
 * Runs a command as the command line does, and returns its result instead of printing it. So a cycle does what `plan` and
 * `apply` do, with all of their checks.
 */
export async function captured<Result>(
  load: () => Promise<{ readonly command: RunCommand }>,
  call: Call,
  options: Call["options"],
): Promise<Result | DiagnosticsDocument | ErrorDocument> {
  const results: string[] = [];
  const output = silentOutput((text) => results.push(text));
  try {
    const { command } = await load();
    await command({ ...call, output, arguments: [], options: { ...call.options, ...options } });
  } catch (error) {
    if (!(error instanceof Ended)) showFailure(error, output, call.signal);
  }
  return JSON.parse(results.join("")) as Result | DiagnosticsDocument | ErrorDocument;
}

/** The call of a cycle: in another folder, without streams, and stopped by the same signal. */
export function quietCall(call: Call, cwd: string): Call {
  const nowhere: Terminal = { write: () => true };
  return {
    host: {
      ...call.host,
      cwd,
      stdout: nowhere,
      stderr: nowhere,
      interactive: false,
      ownsProcess: false,
    },
    output: silentOutput(() => {}),
    arguments: [],
    options: call.options,
    signal: call.signal,
    // The process listens to signals already, for as long as it runs.
    finishing: (work) => work(),
    releasing: (work) => work(),
  };
}

function silentOutput(result: (text: string) => void): Output {
  const nothing = () => {};
  const text = { color: false, width: 80 };
  return {
    ...{ format: "json", quiet: true, stdoutText: text, stderrText: text },
    ...{ result, info: nothing, warn: nothing, progress: nothing, problem: nothing },
  };
}
