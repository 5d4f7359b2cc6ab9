import { hostname, userInfo } from "node:os";
import path from "node:path";
import { isatty } from "node:tty";
import { nodeSystem } from "../../base/system/index.js";
import { readMachineIdentity } from "../../core/state/index.js";
import type { OperationHost } from "../../operations/index.js";
import { exitCode } from "./exit-code.js";
import { onInterrupt, onStop } from "./interrupts.js";

/** What a command uses of its machine; clock, environment, streams and folder come from here only. */
export interface Host extends Omit<OperationHost, "version" | "library"> {
  /** Opened when it is asked for. */
  readonly stdin: () => NodeJS.ReadableStream;
  readonly stdout: Terminal;
  readonly stderr: Terminal;
  /** Both stdin and stderr are terminals, so the command can ask questions. */
  readonly interactive: boolean;
  /** System and processor as Node names them: "linux_x64". */
  readonly platform: string;
  /**
   * Calls back when the user or the system asks to stop (SIGINT, SIGTERM, SIGHUP); returns a function that
   * unsubscribes.
   */
  onStop(callback: (signal: string) => void): () => void;
  /** The same; a second SIGINT ends the process even while it computes. */
  onInterrupt(callback: (signal: string) => void): () => void;
  /** Calls back when stdout can no longer be written to, such as a closed pipe; returns a function that unsubscribes. */
  onOutputLost?(callback: () => void): () => void;
}

/** An output stream and its abilities. */
export interface Terminal {
  write(text: string): boolean;
  readonly isTTY?: boolean;
  readonly columns?: number;
  /** What was written is held in memory, until `drain`. */
  readonly writableNeedDrain?: boolean;
  once?(event: "drain" | "error", listener: () => void): unknown;
}

/** Whether somebody looks at a terminal. The runners of Gitea and others give jobs one, and keep all that is written to it as a log. */
export function isLive({ environment }: Pick<Host, "environment">, { isTTY }: Terminal): boolean {
  return isTTY === true && !environment.CI;
}

/** Reports if the current folder was deleted: no path can be resolved then. */
export function hasFolder(process: NodeJS.Process): boolean {
  try {
    process.cwd();
    return true;
  } catch {
    process.stderr.write("error[no-folder] The current folder no longer exists. Change to another folder.\n");
    return false;
  }
}

/** The host of a real process. */
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
    onInterrupt: (callback) => onInterrupt(process, callback),
  };
}

/** Returns stdout for results. Everything else that is written to it, such as by a definition, goes to stderr. */
function reserveStdout({ stdout, stderr }: NodeJS.Process): Terminal {
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
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
 * A failing output stream must not stop an apply half-way. A closed pipe (`| head`) is not our error; a lost
 * result, as on a full disk, is reported and makes the command fail. A lost message changes nothing.
 */
function exitOnLostOutput(process: NodeJS.Process): void {
  let isTold = false;
  process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
    if (code === "EPIPE" || isTold) return;
    isTold = true;
    process.stderr.write(`error[output] The result could not be written to stdout (${code}).\n`);
    process.once("exit", () => {
      process.exitCode ||= exitCode.failed;
    });
  });
  process.stderr.on("error", () => {});
}
