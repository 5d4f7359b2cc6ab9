/** Runs the built command on simulated machines that cannot see each other's processes. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { findBuilt } from "../built.js";
import type { LogLine } from "../sync/team.js";

/** Process that may die, sleep and wake up. */
export interface Process {
  /** Source IP address of requests to the service, see `slow-service.ts`. */
  readonly address: string;
  readonly command: string;
  readonly pid: number;
  readonly child: ChildProcess;
  /** Returns the output so far. */
  output(): string;
  /** Returns the log of a `sync`. */
  log(): readonly LogLine[];
  hasEnded(): boolean;
  readonly ended: Promise<Ended>;
}

export interface Ended {
  readonly exit: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface Machine {
  readonly name: string;
  /** Folder in which commands run. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
}

let started = 0;

/**
 * Starts the command on a simulated machine, whose host name and boot id hide other machines' processes. The same name
 * with another `boot` simulates a replaced container.
 */
export function startOn(machine: Machine, argv: readonly string[], boot = ""): Process {
  started += 1;
  const address = `127.1.${Math.floor(started / 250)}.${(started % 250) + 1}`;
  const preload = `import fs from "node:fs"; import net from "node:net"; import os from "node:os";
    import { syncBuiltinESMExports } from "node:module";
    const { readFileSync } = fs, { connect } = net;
    fs.readFileSync = (file, ...more) =>
      file === "/proc/sys/kernel/random/boot_id" ? ${JSON.stringify(`${machine.name} ${boot}`)} : readFileSync(file, ...more);
    os.hostname = () => ${JSON.stringify(machine.name)};
    net.connect = (options, ...more) => connect({ ...options, localAddress: ${JSON.stringify(address)} }, ...more);
    syncBuiltinESMExports();`;
  const child = spawn(process.execPath, [findBuilt(), ...argv], {
    cwd: machine.folder,
    env: {
      PATH: process.env.PATH,
      ...machine.environment,
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(preload)}`,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  let hasEnded = false;
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  const ended = once(child, "close").then(([exit, signal]) => {
    hasEnded = true;
    return { exit, signal } as Ended;
  });
  return {
    ...{ address, command: argv.join(" "), pid: child.pid ?? 0, child, ended },
    output: () => output,
    log: () => readLog(output),
    hasEnded: () => hasEnded,
  };
}

/** Returns the complete log lines in the output. Skips git output. */
function readLog(output: string): LogLine[] {
  const lines = output.split("\n").slice(0, -1);
  return lines.flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as LogLine] : []));
}

/** Waits until `isSo` returns true. Returns false after the timeout. */
export async function waitUntil(isSo: () => boolean, ms: number): Promise<boolean> {
  for (const endMs = Date.now() + ms; Date.now() < endMs; await sleep(10)) if (isSo()) return true;
  return isSo();
}
