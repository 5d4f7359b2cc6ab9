import { type ChildProcess, spawn } from "node:child_process";
import type { SourceContext, SourceKind } from "../source-kind.js";
import { maxBytes } from "../text.js";

/** Fields of `!exec`. */
export interface ExecFields {
  readonly command: readonly string[];
}

const byHand = "Run it by hand in the project folder to see why.";
const tooLong = "prints more than 64 KB, which is too long for a secret.";

/**
 * Runs a program and returns what it prints on stdout. No shell; no input; stderr is dropped, because it may
 * contain the secret. The program leads its own process group, so that everything it started can be stopped
 * with it.
 */
export const exec: SourceKind<ExecFields> = {
  name: "exec",
  title: "Command",
  fields: {
    command: {
      type: "string-list",
      required: true,
      description: "The program and its arguments. No shell: `|`, `>` and `$` have no meaning.",
    },
  },
  shorthand: {
    example: "!exec [pass, show, llm]",
    meaning: "a command and its arguments",
    hint: "write !exec [command, argument] or !exec { command: [command, argument], timeout_seconds: 10 }",
    read: (written) => (typeof written === "string" ? undefined : { command: written }),
  },
  describe: ({ command }) => `command ${commandText(command)}`,
  rights: { value: "what the command needs" },
  wording: {
    timedOut: (seconds) => `did not end within ${seconds} s and was stopped. ${byHand}`,
    cancelled: "was stopped because the run was cancelled.",
    tooLong,
  },
  async read({ command }, context) {
    const child = start(command, context);
    const chunks: Buffer[] = [];
    let length = 0;
    let stoppedFor: unknown;
    const stop = (why: unknown) => {
      stoppedFor ??= why;
      killGroup(child);
    };
    child.stdout?.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > maxBytes) stop(context.error("too-long", tooLong));
    });
    const cancel = () => stop(context.signal.reason);
    context.signal.addEventListener("abort", cancel, { once: true });
    try {
      const exit = await ended(child, context);
      if (stoppedFor) throw stoppedFor;
      if (exit !== 0) throw context.error("failed", `ended with ${exitText(exit)}. ${byHand}`);
      return { value: Buffer.concat(chunks) };
    } finally {
      context.signal.removeEventListener("abort", cancel);
    }
  },
};

/**
 * The program and its subcommand: arguments may contain tokens, so shows plain words only, and two at most.
 */
function commandText([program = "", ...args]: readonly string[]): string {
  const [first] = args;
  const shown = first !== undefined && /^[a-z][a-z-]{0,19}$/.test(first) ? [program, first] : [program];
  return shown.length <= args.length ? `${shown.join(" ")} …` : shown.join(" ");
}

function start([program = "", ...args]: readonly string[], context: SourceContext): ChildProcess {
  try {
    return spawn(program, args, {
      cwd: context.root,
      env: { ...context.environment },
      stdio: ["ignore", "pipe", "ignore"],
      detached: true,
      windowsHide: true,
    });
  } catch (error) {
    // Thrown, not emitted, for what can never be an argument, e.g. a NUL byte.
    throw notStarted(error, context);
  }
}

/** The exit code, or the name of the signal that ended it, after its output was read completely. */
function ended(child: ChildProcess, context: SourceContext): Promise<number | string> {
  return new Promise((resolve, reject) => {
    child.once("error", (error) => reject(notStarted(error, context)));
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

function notStarted(thrown: unknown, { error }: SourceContext): Error {
  const system = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "unknown error";
  if (system === "ENOENT")
    return error("not-found", "was not found. Install the program, or correct its name or your PATH.");
  return error("failed", `could not be started: the system reports ${system}. ${byHand}`);
}
