import { type ChildProcess, spawn } from "node:child_process";
import { kill } from "node:process";

interface ProgramOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absent: there is nothing to read. */
  readonly input?: string | Uint8Array;
  /** How much of the end of stderr is kept, in bytes. Default 0: stderr is dropped. */
  readonly stderrBytes?: number;
  /** How much of stdout is kept, in bytes. */
  readonly maxBytes: number;
  /** The program writes more than that. */
  onTooMuch(): void;
}

type Ended =
  | { readonly exit: number | string; readonly stdout: Buffer; readonly stderr: string }
  /** It could not be started, and the system reports this code. */
  | { readonly system: string };

/**
 * Starts a program, which leads a session of its own: it and what it starts have no terminal to ask at, and are stopped
 * together. `ended` never rejects; `exit` is an exit code or a signal.
 */
export function startProgram(
  program: string,
  args: readonly string[],
  { cwd, env, input, stderrBytes = 0, maxBytes, onTooMuch }: ProgramOptions,
): { readonly ended: Promise<Ended>; stop(signal: "SIGTERM" | "SIGKILL"): void } {
  const stdio = [
    input === undefined ? "ignore" : "pipe",
    "pipe",
    stderrBytes > 0 ? "pipe" : "ignore",
  ] as const;
  let child: ChildProcess;
  try {
    child = spawn(program, args, {
      cwd,
      env: { ...env },
      stdio: [...stdio],
      detached: true,
      windowsHide: true,
    });
  } catch (error) {
    // Thrown, not emitted, for what can never be an argument, e.g. a NUL byte.
    return { ended: Promise.resolve(notStarted(error)), stop: () => {} };
  }
  const stdout: Buffer[] = [];
  let length = 0;
  let stderr = Buffer.alloc(0);
  child.stdout?.on("data", (chunk: Buffer) => {
    length += chunk.length;
    if (length > maxBytes) onTooMuch();
    else stdout.push(chunk);
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    stderr = Buffer.concat([stderr, chunk]).subarray(-stderrBytes);
  });
  // It may end without reading everything; its exit code says why.
  child.stdin?.on("error", () => {});
  child.stdin?.end(input);
  const ended = new Promise<Ended>((resolve) => {
    child.once("error", (error) => resolve(notStarted(error)));
    child.once("close", (code, signal) =>
      resolve({
        exit: code ?? signal ?? "unknown",
        stdout: Buffer.concat(stdout),
        stderr: stderr.toString("utf8"),
      }),
    );
  });
  return { ended, stop: (signal) => endGroup(child, signal) };
}

function notStarted(error: unknown): Ended {
  return { system: error instanceof Error && "code" in error ? String(error.code) : "unknown error" };
}

function endGroup(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): void {
  if (child.pid === undefined) return;
  try {
    kill(-child.pid, signal);
  } catch {
    // No such group: all have ended, or the system (Windows) has no groups.
    child.kill(signal);
  }
  // A process that left the group may keep the pipes open; do not wait for it.
  if (signal === "SIGKILL") for (const pipe of [child.stdout, child.stderr]) pipe?.destroy();
}
