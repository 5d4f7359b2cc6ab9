import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { findBuilt } from "../built.js";

const preload = new URL("./die-at.mjs", import.meta.url).href;

export interface Ended {
  readonly exit: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts the built command in a separate process. */
export function start(
  folder: string,
  args: readonly string[],
  environment: Record<string, string | undefined>,
  dieAt?: string,
): { readonly child: ChildProcess; readonly ended: Promise<Ended> } {
  const child = spawn(process.execPath, [...(dieAt ? ["--import", preload] : []), findBuilt(), ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...environment, ...(dieAt ? { AVATAROPS_TEST_DIE_AT: dieAt } : {}) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = once(child, "close").then(([exit, signal]) => ({ exit, signal, stdout, stderr }) as Ended);
  return { child, ended };
}
