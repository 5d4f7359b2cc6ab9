import { kill } from "node:process";
import { withoutRunnerCommands } from "./runner-commands.js";

/** The process a plugin runs in. */
export interface PluginHost {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stdout: Output;
  readonly stderr: Output;
  now(): number;
  /** The process that started this one is still there. */
  parentLives(): boolean;
  /** Calls back instead of ending the process when it is asked to stop (SIGINT, SIGTERM, SIGHUP). */
  onStop(callback: () => void): void;
  /** Calls back with what nobody caught. */
  onBug(callback: (error: unknown) => void): void;
  exit(code: number): void;
}

interface Output {
  write(text: string, written?: () => void): boolean;
}

/** The host of a real process. */
export function processHost(node: NodeJS.Process): PluginHost {
  const parent = node.ppid;
  // Nobody reads any more: nothing is to be reported.
  for (const output of [node.stdout, node.stderr]) output.on("error", () => {});
  return {
    environment: node.env,
    stdout: node.stdout,
    // Terraform prints it, or takes it into its log.
    stderr: { write: (text, written) => node.stderr.write(withoutRunnerCommands(text), written) },
    now: Date.now,
    // An orphan gets another parent, but not on Windows.
    parentLives: () => (node.platform === "win32" ? isAlive(parent) : node.ppid === parent),
    onStop(callback) {
      for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) node.on(signal, callback);
    },
    onBug(callback) {
      node.on("uncaughtException", callback); // Rejections nobody caught come here as well.
    },
    exit: (code) => node.exit(code),
  };
}

function isAlive(pid: number): boolean {
  try {
    return kill(pid, 0);
  } catch {
    return false;
  }
}
