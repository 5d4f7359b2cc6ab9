import { createHmac } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { platform } from "node:os";
import { kill, pid as ownPid } from "node:process";
import type { System } from "../../base/system/index.js";
import type { Holder } from "./lock-holder.js";
import { getErrorCode } from "./stores/paths.js";

/** Facts that distinguish this machine, boot and container from others with the same host name. */
export interface MachineIdentity {
  /** Boot id. Undefined on systems without boot ids (macOS, Windows), "" if unreadable. */
  readonly bootId?: string | undefined;
  /** PID namespace inode, on Linux. */
  readonly pidNamespace?: string | undefined;
  /** Hash of the machine id, on Linux. Clones of a virtual machine may share it. */
  readonly machineId?: string | undefined;
  /** Start time of this boot, in ms since 1970. */
  readonly bootedAtMs?: number | undefined;
}

/** Identity of this process and machine, and functions that inspect other processes. */
export interface ProcessEnvironment extends MachineIdentity {
  readonly system: System;
  readonly pid: number;
  readonly host: string;
  /** Returns whether a process is running. Default: asks the system. */
  readonly isAlive?: (pid: number) => boolean;
  /** Returns a process's start time, to distinguish a later process with the same id. Default: asks the system. */
  readonly readStart?: (pid: number) => string | undefined;
  /** Returns whether this process has finished with a lock that it could not release. Default: false. */
  readonly hasHoldEnded?: ((holdId: string) => boolean) | undefined;
}

/** Lock owner status. `elsewhere` is another machine or container, which cannot be checked from here. */
export type HolderStatus = "alive" | "dead" | "elsewhere";

/** Checks whether a lock owner is still running. Detects reused process ids. */
export function checkHolderStatus(holder: Holder, environment: ProcessEnvironment): HolderStatus {
  if (environment.hasHoldEnded?.(holder.id)) return "dead";
  if (haveSharedProcessIds(holder, environment))
    return isHolderRunning(holder, environment) ? "alive" : "dead";
  return hasRestarted(holder, environment) ? "dead" : "elsewhere";
}

/**
 * Returns whether the lock owner and this process are in the same process id namespace. PID namespace inodes are unique
 * as long as the namespace exists. Two copies of a running virtual machine cannot be told apart.
 */
function haveSharedProcessIds(holder: Holder, { bootId, pidNamespace, host }: ProcessEnvironment): boolean {
  if (bootId === undefined) return holder.bootId === undefined && holder.host === host;
  return bootId !== "" && holder.bootId === bootId && !!pidNamespace && holder.pidNamespace === pidNamespace;
}

function isHolderRunning({ pid, startedAt }: Holder, environment: ProcessEnvironment): boolean {
  if (!(environment.isAlive ?? isRunning)(pid)) return false;
  const start = (environment.readStart ?? readStart)(pid);
  return !startedAt || !start || startedAt === start;
}

/** Initial PID namespace inode (PROC_PID_INIT_INO). */
const initialPidNamespace = "4026531836";

/**
 * Returns whether this machine has restarted since the lock was taken. The lock must be older than our boot, because a
 * clone may have the same machine id and host name.
 */
function hasRestarted(holder: Holder, environment: ProcessEnvironment): boolean {
  const { bootId, pidNamespace, machineId, host, bootedAtMs = Number.POSITIVE_INFINITY } = environment;
  return (
    [bootId, holder.bootId, machineId].every(Boolean) &&
    holder.machineId === machineId &&
    holder.host === host &&
    [pidNamespace, holder.pidNamespace].every((inode) => inode === initialPidNamespace) &&
    holder.bootId !== bootId &&
    Date.parse(holder.since) < bootedAtMs
  );
}

/** Reads this machine's identity, as far as the system allows. */
export function readMachineIdentity(): MachineIdentity {
  if (!["linux", "android"].includes(platform())) return {};
  const [, pidNamespace] = /^pid:\[(\d+)\]$/.exec(readLink("/proc/self/ns/pid")) ?? [];
  const [, bootedAt] = /^btime (\d+)$/m.exec(readText("/proc/stat")) ?? [];
  return {
    bootId: readText("/proc/sys/kernel/random/boot_id").trim(),
    pidNamespace,
    machineId: hashMachineId(readText("/etc/machine-id") || readText("/var/lib/dbus/machine-id")),
    bootedAtMs: bootedAt === undefined ? undefined : Number(bootedAt) * 1_000,
  };
}

/** Application id for `systemd-id128 machine-id --app-specific`. */
const applicationId = "9a3d2f60c1b54e7f8d06b7e4512c8af3";

/**
 * Hashes a machine id like systemd's `sd_id128_get_machine_app_specific`, because the id is confidential and a shared
 * state is not. Returns undefined for machines without an id, such as containers.
 */
export function hashMachineId(text: string): string | undefined {
  const id = text.trim();
  if (!/^(?!0+$)[\da-f]{32}$/.test(id)) return undefined;
  const hash = createHmac("sha256", Buffer.from(id, "hex"))
    .update(Buffer.from(applicationId, "hex"))
    .digest();
  // Sets the version and variant of a random UUID.
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x40;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  return hash.toString("hex", 0, 16);
}

/** Reads a process's start time, in ticks since boot. Returns undefined except on Linux. */
export function readStart(pid: number): string | undefined {
  return readStat(pid)?.[19];
}

/**
 * Returns whether a process with this id is running. Ignores zombies, because the first process of many containers
 * never reaps its children.
 */
export function isRunning(pid: number): boolean {
  try {
    kill(pid, 0);
    return readStat(pid)?.[0] !== "Z";
  } catch (error) {
    // EPERM means that the process is running as another user.
    return getErrorCode(error) !== "ESRCH";
  }
}

/**
 * Reads /proc/PID/stat from field 3 (state) on. Returns undefined outside Linux, for processes hidden by `hidepid`, and
 * in a PID namespace without its own /proc.
 */
function readStat(pid: number): string[] | undefined {
  if (readLink("/proc/self") !== String(ownPid)) return undefined;
  const stat = readText(`/proc/${pid}/stat`);
  // Field 2, the program name, may contain spaces and parentheses.
  return stat === "" ? undefined : stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** Reads a file, or returns "" if it cannot be read. */
function readText(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}

/** Reads a symlink's target, or returns "" if it cannot be read. */
function readLink(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return "";
  }
}
