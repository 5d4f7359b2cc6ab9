import { createHmac } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { platform } from "node:os";
import { kill, pid as ownPid } from "node:process";
import type { System } from "../../base/system/index.js";
import type { Holder } from "./lock-holder.js";
import { errorCode } from "./stores/paths.js";

/** Tells this machine, boot and container from others with the same host name. */
export interface MachineIdentity {
  /** Differs for each boot. Undefined on systems without boot ids, such as macOS and Windows; "" if it cannot be read. */
  readonly bootId?: string | undefined;
  /** Inode of the PID namespace, on Linux. */
  readonly pidNamespace?: string | undefined;
  /** Hash of the machine id, on Linux. Clones of a virtual machine may share it. */
  readonly machineId?: string | undefined;
  /** When this boot began, in ms since 1970. */
  readonly bootedAtMs?: number | undefined;
}

/** This process and machine, and functions to inspect other processes on it. */
export interface ProcessEnvironment extends MachineIdentity {
  readonly system: System;
  readonly pid: number;
  readonly host: string;
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

/** Whether a holder still runs; `elsewhere`: on another machine or in another container, so we cannot know. */
export type ProcessStatus = "alive" | "dead" | "elsewhere";

/** Checks whether the holder of a lock still runs. A process id that another process uses now does not count. */
export function processStatus(holder: Holder, environment: ProcessEnvironment): ProcessStatus {
  if (environment.hasEnded?.(holder.id)) return "dead";
  if (sharesProcessIds(holder, environment)) return isHolderRunning(holder, environment) ? "alive" : "dead";
  return hasRestarted(holder, environment) ? "dead" : "elsewhere";
}

/**
 * Whether a process id means the same process to the holder and to us. Inodes of PID namespaces are reused, but not by
 * two that exist at once. Two copies of a running virtual machine share all this, and cannot be told apart.
 */
function sharesProcessIds(holder: Holder, { bootId, pidNamespace, host }: ProcessEnvironment): boolean {
  if (bootId === undefined) return holder.bootId === undefined && holder.host === host;
  return bootId !== "" && holder.bootId === bootId && !!pidNamespace && holder.pidNamespace === pidNamespace;
}

function isHolderRunning({ pid, startedAt }: Holder, environment: ProcessEnvironment): boolean {
  if (!(environment.isAlive ?? isRunning)(pid)) return false;
  const start = (environment.readStart ?? readStart)(pid);
  return !startedAt || !start || startedAt === start;
}

/** Inode of the PID namespace that the kernel starts with: PROC_PID_INIT_INO. */
const initialPidNamespace = "4026531836";

/**
 * Whether this machine has restarted since the lock was taken. A clone may have the machine id and the host name, too: a lock
 * taken after our start is not of an earlier boot.
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

/** Reads what tells this machine from others, as far as its system allows. */
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

/** Id of avatarops for `systemd-id128 machine-id --app-specific`. */
const applicationId = "9a3d2f60c1b54e7f8d06b7e4512c8af3";

/**
 * Hashes a machine id as systemd does for an application (`sd_id128_get_machine_app_specific`): the id itself is confidential,
 * and others can read a shared state. Undefined if there is none, as in the image of a container.
 */
export function hashMachineId(text: string): string | undefined {
  const id = text.trim();
  if (!/^(?!0+$)[\da-f]{32}$/.test(id)) return undefined;
  const hash = createHmac("sha256", Buffer.from(id, "hex"))
    .update(Buffer.from(applicationId, "hex"))
    .digest();
  // Version and variant of a random UUID.
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x40;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  return hash.toString("hex", 0, 16);
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

/**
 * What Linux says of a process from its state, field 3, on; undefined elsewhere, for a process hidden by `hidepid`, and in a
 * PID namespace without a /proc of its own, where the number is that of another process.
 */
function readStat(pid: number): string[] | undefined {
  if (readLink("/proc/self") !== String(ownPid)) return undefined;
  const stat = readText(`/proc/${pid}/stat`);
  // The program's name, field 2, may contain spaces and parentheses.
  return stat === "" ? undefined : stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** The text of a file; "" if it cannot be read. */
function readText(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}

/** The target of a link; "" if it cannot be read. */
function readLink(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return "";
  }
}
