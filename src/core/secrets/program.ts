import { startProgram } from "../../base/programs/index.js";
import { failed, notFound, type SourceProblem, tooLong } from "./source-error.js";
import type { SourceContext } from "./source-kind.js";

/** What to say of a program that gave nothing; each continues the description of the source. */
export interface ProgramProblems {
  readonly tooLong: string;
  /** There is no such program. */
  readonly notFound: string;
  /** `how`: "exit code 1" or "signal SIGKILL". */
  ended(how: string, exit: number | string): SourceProblem;
}

/**
 * What a program prints. Runs in the project folder, without a shell and without input; stderr is dropped, because it may
 * contain the secret. It is stopped when the signal aborts, whose reason is thrown, and when it prints more than `maxBytes`.
 *
 * @throws SourceProblem unless it ends with exit code 0.
 */
export async function runProgram(
  command: readonly string[],
  context: SourceContext,
  maxBytes: number,
  problems: ProgramProblems,
): Promise<Buffer> {
  const { signal, root, environment } = context;
  const [program = "", ...args] = command;
  let isTooLong = false;
  const onTooMuch = () => {
    isTooLong = true;
    started.stop("SIGKILL");
  };
  const started = startProgram(program, args, { cwd: root, env: environment, maxBytes, onTooMuch });
  const stop = () => started.stop("SIGKILL");
  signal.addEventListener("abort", stop, { once: true });
  try {
    const ran = await started.ended;
    if (signal.aborted) throw signal.reason;
    if (isTooLong) throw tooLong(problems.tooLong);
    if ("system" in ran && ran.system === "ENOENT") throw notFound(problems.notFound);
    if ("system" in ran) throw failed(`cannot be read: ${program} could not be started (${ran.system}).`);
    if (ran.exit === 0) return ran.stdout;
    throw problems.ended(`${typeof ran.exit === "number" ? "exit code" : "signal"} ${ran.exit}`, ran.exit);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
