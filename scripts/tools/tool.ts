import { spawnSync } from "node:child_process";
import { homedir } from "node:os";
import path from "node:path";

/** Third-party program or packages, installed on demand. */
export interface Tool {
  /** Path to the program, or installation folder of the packages. May not exist yet. */
  readonly path: string;
  /** Whether the pinned version is installed. */
  has(): boolean;
  /** Installs the tool if it is missing. */
  install(): void;
}

/** Cache folder for installed tools, shared by all checkouts. */
export const toolCache = path.join(
  process.env.XDG_CACHE_HOME || path.join(homedir(), ".cache"),
  "avatarops-tools",
);

/** Folder with the pins: lock files, requirements and our own Go programs. */
export const pinsFolder = path.resolve(import.meta.dirname, "../../tools");

/** Runs an installer. Its stdout goes to stderr, because scripts print paths on stdout. */
export function run(program: string, argv: readonly string[], cwd?: string): void {
  const { status, error } = spawnSync(program, argv, { stdio: ["ignore", 2, 2], ...(cwd && { cwd }) });
  if (status !== 0) throw new Error(`\`${program} ${argv.join(" ")}\` failed.`, { cause: error });
}
