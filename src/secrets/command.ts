import { type ChildProcess, spawn } from "node:child_process";
import type { SourceOf } from "./source.js";
import type { SourceEnvironment } from "./source-environment.js";
import { SourceError } from "./source-error.js";
import { maxBytes, textOf } from "./text.js";

const defaultTimeoutMs = 10_000;
/** Node fires a longer timer immediately. */
const longestTimerMs = 2 ** 31 - 1;
const byHand = "Run it by hand in the project folder to see why.";

/**
 * Runs a program and returns what it prints on stdout. No shell; no input; stderr is dropped, because it may
 * contain the secret. The program leads its own process group, so that everything it started can be stopped
 * with it.
 */
export function resolveCommand(source: SourceOf<"exec">, environment: SourceEnvironment): Promise<string> {
  const work = () => run(source, environment);
  return environment.running ? environment.running(work) : work();
}

async function run(source: SourceOf<"exec">, environment: SourceEnvironment): Promise<string> {
  const child = start(source, environment);
  const chunks: Buffer[] = [];
  let length = 0;
  let stoppedFor: SourceError | undefined;
  const stop = (why: SourceError) => {
    stoppedFor ??= why;
    killGroup(child);
  };
  child.stdout?.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxBytes)
      stop(new SourceError("too-long", source, "prints more than 64 KB, which is too long for a secret."));
  });
  const timeoutMs = source.timeoutMs ?? defaultTimeoutMs;
  const timer = setTimeout(() => stop(timedOut(source, timeoutMs)), Math.min(timeoutMs, longestTimerMs));
  const cancel = () =>
    stop(new SourceError("cancelled", source, "was stopped because the run was cancelled."));
  environment.signal?.addEventListener("abort", cancel, { once: true });
  try {
    const exit = await ended(child, source);
    if (stoppedFor) throw stoppedFor;
    if (exit !== 0) throw new SourceError("failed", source, `ended with ${exitText(exit)}. ${byHand}`);
    return textOf(Buffer.concat(chunks), source);
  } finally {
    clearTimeout(timer);
    environment.signal?.removeEventListener("abort", cancel);
  }
}

function start(source: SourceOf<"exec">, { root, environment }: SourceEnvironment): ChildProcess {
  const [program = "", ...args] = source.command;
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
    throw notStarted(source, error);
  }
}

/** The exit code, or the name of the signal that ended it, after its output was read completely. */
function ended(child: ChildProcess, source: SourceOf<"exec">): Promise<number | string> {
  return new Promise((resolve, reject) => {
    child.once("error", (error) => reject(notStarted(source, error)));
    child.once("close", (code, signal) => resolve(code ?? signal ?? "unknown"));
  });
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

function exitText(exit: number | string): string {
  return typeof exit === "number" ? `exit code ${exit}` : `signal ${exit}`;
}

function timedOut(source: SourceOf<"exec">, timeoutMs: number): SourceError {
  return new SourceError(
    "timed-out",
    source,
    `did not end within ${timeoutMs / 1_000} s and was stopped. ${byHand}`,
  );
}

function notStarted(source: SourceOf<"exec">, error: unknown): SourceError {
  const system = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
  if (system === "ENOENT") {
    return new SourceError(
      "not-found",
      source,
      "was not found. Install the program, or correct its name or your PATH.",
    );
  }
  return new SourceError("failed", source, `could not be started: the system reports ${system}. ${byHand}`);
}
