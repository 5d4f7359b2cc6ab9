import { type ChildProcess, spawn } from "node:child_process";
import { nonEmpty } from "./file.js";
import type { SourceWorld } from "./resolve.js";
import type { ValueSource } from "./source.js";
import { SourceError, type SourceProblem } from "./source-error.js";

const defaultTimeoutMs = 10_000;
const maxBytes = 64 * 1024;

/**
 * What a command prints, without one final newline. It is run with an argument list and no shell, in the project
 * folder, without input; what it says on stderr is dropped, since it may hold the value. It and all it started are
 * ended when it takes too long.
 */
export function fromCommand(
  { command, timeoutMs = defaultTimeoutMs }: Extract<ValueSource, { from: "exec" }>,
  { root, environment, signal }: SourceWorld,
): Promise<string> {
  const [file = "", ...args] = command;
  const source = `command ${command.join(" ")}`;
  return new Promise((resolve, reject) => {
    // A process group of its own, so that whatever it starts can be ended with it.
    const child = spawn(file, args, {
      cwd: root,
      env: { ...environment },
      stdio: ["ignore", "pipe", "ignore"],
      detached: true,
    });
    const chunks: Buffer[] = [];
    let length = 0;
    const fail = (code: SourceProblem, why: string) => {
      end(child);
      finish();
      reject(new SourceError(code, source, `The ${source} ${why}`));
    };
    const timer = setTimeout(
      () => fail("timed-out", `did not end within ${timeoutMs / 1000} s: run it by hand to see why.`),
      timeoutMs,
    );
    const cancel = () => fail("cancelled", "was stopped.");
    const finish = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
    };
    signal?.addEventListener("abort", cancel, { once: true });
    child.stdout?.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > maxBytes) fail("too-long", `printed more than ${maxBytes} bytes: that is no secret.`);
      else chunks.push(chunk);
    });
    child.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") fail("not-found", "was not found: install it, or give its whole path.");
      else fail("failed", `could not be started (${error.code ?? "unknown error"}).`);
    });
    child.on("close", (exit, by) => {
      if (exit !== 0) return fail("failed", `ended with ${exit ?? by}: run it by hand to see what it says.`);
      finish();
      try {
        resolve(
          nonEmpty(
            Buffer.concat(chunks)
              .toString("utf8")
              .replace(/\r?\n$/, ""),
            source,
          ),
        );
      } catch (error) {
        reject(error);
      }
    });
    if (signal?.aborted) cancel();
  });
}

function end({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    // Already gone.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
