import { type ChildProcess, spawn } from "node:child_process";
import type { SourceContext } from "./source-kind.js";

/** What came of a program. */
export type Ran =
  /** The exit code, or the name of the signal that ended it, after its output was read completely. */
  | { readonly exit: number | string; readonly output: Buffer }
  /** It could not be started. The system's code: ENOENT if there is no such program. */
  | { readonly problem: string }
  | { readonly isTooLong: true };

/**
 * Runs a program in the project folder. No shell; no input; stderr is dropped, because it may contain the secret. The
 * program leads its own process group, so that everything it started can be stopped with it: when the signal aborts,
 * whose reason is thrown, and when it prints more than `maxBytes`.
 */
export async function runProgram(
  command: readonly string[],
  context: SourceContext,
  maxBytes: number,
): Promise<Ran> {
  const { signal } = context;
  const child = start(command, context);
  if ("problem" in child) return child;
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
    if (length > maxBytes) return { isTooLong: true };
    return "problem" in ran ? ran : { ...ran, output: Buffer.concat(chunks) };
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Continues "ended with …". */
export function exitText(exit: number | string): string {
  return typeof exit === "number" ? `exit code ${exit}` : `signal ${exit}`;
}

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
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // No such group: all processes have ended, or the system (Windows) has no groups.
    child.kill("SIGKILL");
  }
  // A process that left the group may keep the pipe open; do not wait for it.
  child.stdout?.destroy();
}
