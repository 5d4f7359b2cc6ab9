import type { Call } from "../command.js";
import type { Terminal } from "../host.js";
import type { Output } from "../output.js";

/** The call of a cycle: in another folder, without streams but for its warnings, and stopped by the same signal. */
export function quietCall(call: Call, cwd: string, ids: IssuedIds, warn: (sentence: string) => void): Call {
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
    output: { ...silentOutput(), warn },
    arguments: [],
    options: call.options,
    opened: {},
    signal: call.signal,
    // The process listens to signals already, for as long as it runs.
    finishing: (work) => work(),
    releasing: (work) => work(),
  };
}

function silentOutput(): Output {
  const nothing = () => {};
  const text = { color: false, width: 80 };
  return {
    ...{ format: "json", quiet: true, stdoutText: text, stderrText: text },
    ...{
      result: nothing,
      document: nothing,
      info: nothing,
      warn: nothing,
      progress: nothing,
      problem: nothing,
    },
    part: async () => true,
  };
}

/** As many ids as an apply may ask for, many times over. */
const remembered = 1_000;

/**
 * The ids that cycles have given to locks and other things. If a lock cannot be released, because the store does not
 * answer just then, the process lives on, and only by its id is the lock known to be nobody's.
 */
export class IssuedIds {
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
