import { randomBytes, randomUUID, scrypt } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";

/**
 * Clock, timers and randomness. `core` uses no other source, so a simulator can run it in virtual time and replay a run
 * from its seed.
 */
export interface System {
  /** Returns the wall clock time, in ms since 1970. It can jump. */
  readonly now: () => number;
  /** Returns the monotonic clock time, in ms. On Linux, the clock stops while the machine is suspended. */
  readonly monotonic: () => number;
  /** Waits for `ms`, or until the signal aborts. Never rejects. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Runs `callback` after `ms`. The returned function cancels the timer. */
  readonly startTimer: (ms: number, callback: () => void) => () => void;
  /** Returns a random number in [0, 1), for jitter. */
  readonly random: () => number;
  /** Returns cryptographically strong random bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
  /** Returns a new UUID. */
  readonly newId: () => string;
  /** Derives a 32-byte key with scrypt. */
  readonly deriveKey: (secret: string | Uint8Array, salt: Uint8Array, cost: KeyCost) => Promise<Uint8Array>;
}

/** Scrypt parameters. */
export interface KeyCost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
  /** Maximum memory in bytes. */
  readonly maxmem: number;
}

/** Maximum timer duration. Node fires longer timers immediately. */
const maxTimerMs = 2 ** 31 - 1;

const derive = promisify<string | Uint8Array, Uint8Array, number, KeyCost, Buffer>(scrypt);

/** Real clock, timers and randomness. */
export const nodeSystem: System = {
  now: Date.now,
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    await wait(Math.min(ms, maxTimerMs), undefined, { signal }).catch(() => undefined);
  },
  startTimer(ms, callback) {
    const timer = setTimeout(callback, Math.min(ms, maxTimerMs));
    return () => clearTimeout(timer);
  },
  random: Math.random,
  randomBytes,
  newId: () => randomUUID(),
  deriveKey: (secret, salt, cost) => derive(secret, salt, 32, cost),
};
