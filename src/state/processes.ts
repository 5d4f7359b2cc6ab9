import { readFileSync } from "node:fs";
import type { Holder } from "./lock-holder.js";
import { codeOf } from "./paths.js";

/** This process and machine, and how to look at the other processes on it. */
export interface ProcessEnvironment {
  readonly pid: number;
  readonly host: string;
  /** Changes with every start of the machine, where the system tells. */
  readonly bootId?: string;
  /** Whether a process runs; asks the system if not given. */
  readonly isAlive?: (pid: number) => boolean;
  /** When a process began, in any form that tells it from a later one with its number; asks the system if not given. */
  readonly startOf?: (pid: number) => string | undefined;
}

/** Whether a holder still runs; `elsewhere`: on another machine, so that we cannot know. */
export type ProcessStatus = "alive" | "dead" | "elsewhere";

/** Looks whether the holder of a lock still runs. A number in use again by another process does not count. */
export function processStatus(holder: Holder, world: ProcessEnvironment): ProcessStatus {
  if (holder.host !== world.host) return "elsewhere";
  if (holder.bootId && world.bootId && holder.bootId !== world.bootId) return "dead";
  if (!(world.isAlive ?? runs)(holder.pid)) return "dead";
  const start = (world.startOf ?? startOf)(holder.pid);
  return holder.startedAt && start && holder.startedAt !== start ? "dead" : "alive";
}

/** When a process began, in ticks since the machine did; undefined where the system does not tell (only Linux does). */
export function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // Field 22. Counted from the last parenthesis: the program's name, field 2, may hold spaces and parentheses.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, as another user.
    return codeOf(error) !== "ESRCH";
  }
}
