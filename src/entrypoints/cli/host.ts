import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { hostname, userInfo } from "node:os";
import path from "node:path";
import { isatty } from "node:tty";
import { nodeSystem } from "../../base/system/index.js";
import { readMachineIdentity } from "../../core/state/index.js";
import type { OperationHost } from "../../operations/index.js";
import { exitCode } from "./exit-code.js";
import { onInterrupt, onStop } from "./interrupts.js";

/** Access to the machine. Commands get the clock, environment, streams and current folder only from here. */
export interface Host extends Omit<OperationHost, "version" | "loadLibrary"> {
  /** Opens stdin on first use. */
  readonly stdin: () => NodeJS.ReadableStream;
  readonly stdout: Terminal;
  readonly stderr: Terminal;
  /** Whether stdin and stderr are terminals, so the command can ask questions. */
  readonly interactive: boolean;
  /** Platform and architecture with Node's names, such as "linux_x64". */
  readonly platform: string;
  /** Calls back on SIGINT, SIGTERM or SIGHUP. Returns a function that unsubscribes. */
  onStop(callback: (signal: string) => void): () => void;
  /** Calls back like `onStop`, but a second SIGINT ends the process even during a computation. */
  onInterrupt(callback: (signal: string) => void): () => void;
  /** Calls back when stdout fails, for example because its pipe was closed. Returns a function that unsubscribes. */
  onOutputLost?(callback: () => void): () => void;
  /** Passes warnings of Node and libraries to the callback, instead of printing them. Returns a function that undoes this. */
  onWarning?(callback: (warning: Error) => void): () => void;
}

/** Output stream, which may be a terminal. */
export interface Terminal {
  write(text: string): boolean;
  readonly isTTY?: boolean;
  readonly columns?: number;
  /** Whether writes are buffered in memory until `drain`. */
  readonly writableNeedDrain?: boolean;
  once?(event: "drain" | "error", listener: () => void): unknown;
}

/**
 * Returns whether a person watches the terminal. CI runners such as Gitea's give jobs a terminal and log all its
 * output.
 */
export function isLive({ environment }: Pick<Host, "environment">, { isTTY }: Terminal): boolean {
  return isTTY === true && !environment.CI;
}

/** Returns whether the current folder exists, and reports an error if not. Paths cannot be resolved without it. */
export function hasFolder(process: NodeJS.Process): boolean {
  try {
    process.cwd();
    return true;
  } catch {
    process.stderr.write("error[no-folder] The current folder no longer exists. Change to another folder.\n");
    return false;
  }
}

export function createHost(process: NodeJS.Process): Host {
  exitOnLostOutput(process);
  return {
    ...nodeSystem,
    cwd: process.cwd(),
    environment: process.env,
    stdin: () => process.stdin,
    stdout: reserveStdout(process),
    stderr: process.stderr,
    interactive: process.stderr.isTTY === true && isatty(0),
    pid: process.pid,
    ownsProcess: true,
    hostname: hostname(),
    username: () => userInfo().username,
    platform: `${process.platform}_${process.arch}`,
    identify: readMachineIdentity,
    resolve: (given) => path.resolve(given),
    onStop: (callback) => onStop(process, callback),
    onOutputLost(callback) {
      process.stdout.on("error", callback);
      return () => process.stdout.off("error", callback);
    },
    onWarning(callback) {
      const printing = process.listeners("warning");
      process.removeAllListeners("warning").on("warning", callback);
      return () => {
        process.removeAllListeners("warning");
        for (const print of printing) process.on("warning", print);
      };
    },
    onInterrupt: (callback) => onInterrupt(process, callback),
  };
}

/** Functions of `node:fs` that write to a file descriptor. */
const descriptorWriters = [
  ...(["write", "writeSync", "writev", "writevSync"] as const),
  ...(["writeFile", "writeFileSync", "appendFile", "appendFileSync"] as const),
] as const;

/**
 * Returns stdout for results. Redirects all other writes to stderr, such as output from a TypeScript definition. Does
 * not cover child processes, which inherit stdout, or a definition that opens `/dev/stdout` itself.
 */
function reserveStdout({ stdout, stderr }: NodeJS.Process): Terminal {
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  const names: ReadonlySet<unknown> = new Set([stdout.fd, "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]);
  // Does not affect Node's own stdout, which captured these functions when it was opened.
  for (const name of descriptorWriters) {
    const original = fs[name] as (...args: unknown[]) => unknown;
    const redirected = (target: unknown, ...rest: unknown[]) =>
      original(names.has(target) ? stderr.fd : target, ...rest);
    Object.assign(fs, { [name]: Object.assign(redirected, original) });
  }
  syncBuiltinESMExports();
  return {
    write: (text) => write(text),
    get isTTY() {
      return stdout.isTTY;
    },
    get columns() {
      return stdout.columns;
    },
    get writableNeedDrain() {
      return stdout.writableNeedDrain;
    },
    once: (event, listener) => stdout.once(event, listener),
  };
}

/**
 * Keeps a failing output stream from interrupting an apply. Ignores a closed pipe (`| head`) and a lost message. A lost
 * result, as on a full disk, is reported and fails the command.
 */
function exitOnLostOutput(process: NodeJS.Process): void {
  let isReported = false;
  process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
    if (code === "EPIPE" || isReported) return;
    isReported = true;
    process.stderr.write(`error[output] Cannot write the result to stdout (${code}).\n`);
    process.once("exit", () => {
      process.exitCode ||= exitCode.failed;
    });
  });
  process.stderr.on("error", () => {});
}
