import { type ChildProcess, spawn } from "node:child_process";
import { kill } from "node:process";
import { failed, notFound, type SourceProblem, tooLong } from "./source-error.js";
import type { SourceContext } from "./source-kind.js";

/** What to say of a program that gave nothing; each continues the description of the source. */
export interface ProgramProblems {
  readonly tooLong: string;
  /** There is no such program. */
  readonly notFound: string;
  /** `system`: the code that the system reports. */
  notStarted(system: string): string;
  /** `how`: "exit code 1" or "signal SIGKILL". */
  ended(how: string, exit: number | string): SourceProblem;
}

/**
 * What a program prints. Runs in the project folder, without a shell and without input; stderr is dropped, because it may
 * contain the secret. The program leads its own process group, so that everything it started can be stopped with it: when
 * the signal aborts, whose reason is thrown, and when it prints more than `maxBytes`.
 *
 * @throws SourceProblem unless it ends with exit code 0.
 */
export async function runProgram(
  command: readonly string[],
  context: SourceContext,
  maxBytes: number,
  problems: ProgramProblems,
): Promise<Buffer> {
  const { signal } = context;
  const child = start(command, context);
  if ("problem" in child) throw toProblem(child, problems);
  const chunks: Buffer[] = [];
  let length = 0;
  const stop = () => killGroup(child);
  child.stdout?.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxBytes) stop();
  });
  signal.addEventListener("abort", stop, { once: true });
  try {
    const ran = await ended(child);
    if (signal.aborted) throw signal.reason;
    if (length > maxBytes) throw tooLong(problems.tooLong);
    if ("problem" in ran) throw toProblem(ran, problems);
    if (ran.exit === 0) return Buffer.concat(chunks);
    throw problems.ended(`${typeof ran.exit === "number" ? "exit code" : "signal"} ${ran.exit}`, ran.exit);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function toProblem(
  { problem }: NotStarted,
  { notFound: missing, notStarted }: ProgramProblems,
): SourceProblem {
  return problem === "ENOENT" ? notFound(missing) : failed(notStarted(problem));
}

/** A program that could not be started, with the system's code. */
interface NotStarted {
  readonly problem: string;
}

function start(
  [program = "", ...args]: readonly string[],
  { root, environment }: SourceContext,
): ChildProcess | NotStarted {
  try {
    return spawn(program, args, {
      cwd: root,
      env: { ...environment },
      stdio: ["ignore", "pipe", "ignore"],
      detached: true,
      windowsHide: true,
    });
  } catch (error) {
    // Thrown, not emitted, for what can never be an argument, e.g. a NUL byte.
    return notStarted(error);
  }
}

function ended(child: ChildProcess): Promise<{ readonly exit: number | string } | NotStarted> {
  return new Promise((resolve) => {
    child.once("error", (error) => resolve(notStarted(error)));
    child.once("close", (code, signal) => resolve({ exit: code ?? signal ?? "unknown" }));
  });
}

function notStarted(error: unknown): NotStarted {
  return { problem: error instanceof Error && "code" in error ? String(error.code) : "unknown error" };
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    kill(-child.pid, "SIGKILL");
  } catch {
    // No such group: all processes have ended, or the system (Windows) has no groups.
    child.kill("SIGKILL");
  }
  // A process that left the group may keep the pipe open; do not wait for it.
  child.stdout?.destroy();
}
