import { readFileSync } from "node:fs";
import { kill } from "node:process";
import type { System } from "../../base/system/index.js";
import type { Holder } from "./lock-holder.js";
import { errorCode } from "./stores/paths.js";

/** This process and machine, and functions to inspect other processes on it. */
export interface ProcessEnvironment {
  readonly system: System;
  readonly pid: number;
  readonly host: string;
  /** Changes with every boot, where the system has such an id. */
  readonly bootId?: string;
  /** Whether a process runs; default: asks the system. */
  readonly isAlive?: (pid: number) => boolean;
  /**
   * When a process started, in any form that distinguishes it from a later one with the same id; default:
   * asks the system.
   */
  readonly readStart?: (pid: number) => string | undefined;
  /**
   * Whether a hold of this process has ended although its lock is still there, because it could not be released. Only a
   * process that goes on after that knows; default: no.
   */
  readonly hasEnded?: ((holdId: string) => boolean) | undefined;
}

/** Whether a holder still runs; `elsewhere`: on another machine, so we cannot know. */
export type ProcessStatus = "alive" | "dead" | "elsewhere";

/**
 * Checks whether the holder of a lock still runs. A process id that another process uses now does not count. Of an unreadable
 * holder only its user can know.
 */
export function processStatus(holder: Holder | undefined, environment: ProcessEnvironment): ProcessStatus {
  if (!holder) return "elsewhere";
  if (environment.hasEnded?.(holder.id)) return "dead";
  if (holder.host !== environment.host) return "elsewhere";
  if (holder.bootId && environment.bootId && holder.bootId !== environment.bootId) return "dead";
  if (!(environment.isAlive ?? isRunning)(holder.pid)) return "dead";
  const start = (environment.readStart ?? readStart)(holder.pid);
  return holder.startedAt && start && holder.startedAt !== start ? "dead" : "alive";
}

/** When a process started, in ticks since boot; undefined where the system does not say (only Linux does). */
export function readStart(pid: number): string | undefined {
  return readStat(pid)?.[19];
}

/**
 * Whether this machine has a process with this id. One that was killed keeps its id until its parent asks for it, which the
 * first process of many containers never does.
 */
export function isRunning(pid: number): boolean {
  try {
    kill(pid, 0);
    return readStat(pid)?.[0] !== "Z";
  } catch (error) {
    // EPERM: it runs, as another user.
    return errorCode(error) !== "ESRCH";
  }
}

/** What Linux says of a process from its state, field 3, on; undefined elsewhere. */
function readStat(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The program's name, field 2, may contain spaces and parentheses.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return undefined;
  }
}
