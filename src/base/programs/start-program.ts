import { type ChildProcess, spawn } from "node:child_process";
import { kill } from "node:process";

interface ProgramOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Input on stdin. Default: empty. */
  readonly input?: string | Uint8Array;
  /** Number of trailing bytes of stderr to keep. Default: 0 (stderr is dropped). */
  readonly stderrBytes?: number;
  /** Maximum size of stdout. */
  readonly maxBytes: number;
  /** Handles stdout above `maxBytes`, for example by stopping the program. */
  onTooMuch(): void;
}

type ProgramEnd =
  | { readonly exit: number | string; readonly stdout: Buffer; readonly stderr: string }
  /** The program could not be started. `system` is the system's error code. */
  | { readonly system: string };

/**
 * Starts a program in a new process session. Its processes have no terminal for prompts, and are stopped together.
 * `ended` never rejects, and `exit` is an exit code or a signal.
 */
export function startProgram(
  program: string,
  args: readonly string[],
  { cwd, env, input, stderrBytes = 0, maxBytes, onTooMuch }: ProgramOptions,
): { readonly ended: Promise<ProgramEnd>; stop(signal: "SIGTERM" | "SIGKILL"): void } {
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
    // Node throws for invalid arguments, such as a NUL byte, instead of emitting an error.
    return { ended: Promise.resolve(toStartFailure(error)), stop: () => {} };
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
  // The program may end without reading all input. Its exit code shows why.
  child.stdin?.on("error", () => {});
  child.stdin?.end(input);
  const ended = new Promise<ProgramEnd>((resolve) => {
    child.once("error", (error) => resolve(toStartFailure(error)));
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

function toStartFailure(error: unknown): ProgramEnd {
  return { system: error instanceof Error && "code" in error ? String(error.code) : "unknown error" };
}

function endGroup(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): void {
  if (child.pid === undefined) return;
  try {
    kill(-child.pid, signal);
  } catch {
    // The group does not exist if all processes have ended, or on Windows.
    child.kill(signal);
  }
  // A process that left the group may keep the pipes open, so do not wait for it.
  if (signal === "SIGKILL") for (const pipe of [child.stdout, child.stderr]) pipe?.destroy();
}
