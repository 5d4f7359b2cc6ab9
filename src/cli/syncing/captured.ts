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
  // A cycle has values of its own: they may have changed since the last one.
  const opened: Call["opened"] = {};
  try {
    const { command } = await load();
    await command({ ...call, opened, output, arguments: [], options: { ...call.options, ...options } });
  } catch (error) {
    if (!(error instanceof Ended)) showFailure(error, output, call.signal);
  } finally {
    await opened.sources?.close();
  }
  return JSON.parse(results.join("")) as Result | DiagnosticsDocument | ErrorDocument;
}

/** The call of a cycle: in another folder, without streams, and stopped by the same signal. */
export function quietCall(call: Call, cwd: string, ids: CycleIds): Call {
  const nowhere: Terminal = { write: () => true };
  return {
    host: {
      ...call.host,
      cwd,
      stdout: nowhere,
      stderr: nowhere,
      interactive: false,
      ownsProcess: false,
      newId: ids.newId,
      hasEnded: ids.hasEnded,
    },
    output: silentOutput(() => {}),
    arguments: [],
    options: call.options,
    opened: {},
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

/** As many ids as an apply may ask for, many times over. */
const remembered = 1_000;

/**
 * The ids that cycles have given to locks and other things. If a lock cannot be released, because the store does not
 * answer just then, the process lives on, and only by its id is the lock known to be nobody's.
 */
export class CycleIds {
  readonly newId: () => string;
  #ended: readonly string[] = [];
  #given: string[] = [];

  constructor(newId: () => string) {
    this.newId = () => {
      const id = newId();
      this.#given.push(id);
      return id;
    };
  }

  /** To be called between two cycles. */
  endCycle(): void {
    this.#ended = [...this.#ended, ...this.#given].slice(-remembered);
    this.#given = [];
  }

  readonly hasEnded = (id: string): boolean => this.#ended.includes(id);
}
