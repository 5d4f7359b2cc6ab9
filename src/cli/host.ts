import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import path from "node:path";
import { exitCode } from "./exit-code.js";
import { onInterrupt } from "./interrupts.js";

/** What a command may use of the machine it runs on; the one place where clock, environment and folder come from. */
export interface Host {
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: Terminal;
  readonly stderr: Terminal;
  /** Somebody can be asked: both stdin and stderr are terminals. */
  readonly interactive: boolean;
  readonly pid: number;
  /** Nothing else runs in the process: see `ServiceOptions`. */
  readonly ownsProcess?: boolean;
  readonly hostname: string;
  /** System and processor as Node names them: "linux_x64". */
  readonly platform: string;
  /** Differs with every start of the machine, where that can be told: a process id means nothing after it. */
  bootId?(): string | undefined;
  /** The absolute path of one given on the command line. */
  resolve(path: string): string;
  now(): number;
  /** Shorter than the defaults, where waiting has no sense; see `ServiceOptions` and `ObserveInput`. */
  readonly waits?: {
    readonly backoffMs?: number;
    readonly settleMs?: number;
    readonly tickMs?: number;
    /** Between two lines about a long reading. */
    readonly progressMs?: number;
  };
  newId(): string;
  /** Calls back when the user or the system asks to stop (SIGINT, SIGTERM, SIGHUP); returns how to take it back. */
  onStop(callback: (signal: string) => void): () => void;
  /** The same at SIGINT alone, of which the second one ends the process also while it computes. */
  onInterrupt(callback: (signal: string) => void): () => void;
}

/** A stream to write to, and what it can show. */
export interface Terminal {
  write(text: string): boolean;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The host of a real process. */
export function hostOf(process: NodeJS.Process): Host {
  exitOnLostOutput(process);
  return {
    cwd: process.cwd(),
    environment: process.env,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    interactive: process.stdin.isTTY === true && process.stderr.isTTY === true,
    pid: process.pid,
    ownsProcess: true,
    hostname: hostname(),
    platform: `${process.platform}_${process.arch}`,
    bootId: readBootId,
    resolve: (given) => path.resolve(given),
    now: Date.now,
    newId: randomUUID,
    onStop(callback) {
      const listeners = stopSignals.map((signal) => [signal, () => callback(signal)] as const);
      for (const [signal, listener] of listeners) process.on(signal, listener);
      return () => {
        for (const [signal, listener] of listeners) process.off(signal, listener);
      };
    },
    onInterrupt: (callback) => onInterrupt(process, callback),
  };
}

/**
 * Output that cannot be written ends no apply half-way. A reader that went away (`| head`) is no error of ours; a
 * result that is lost, as on a full disk, is told and makes the exit code a failure. A lost message is only that.
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

function readBootId(): string | undefined {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return undefined; // Linux alone tells.
  }
}
