import { checkHolderStatus } from "../../src/core/state/holder-status.js";
import { closeJournal } from "../../src/core/state/journal.js";
import type { Holder } from "../../src/core/state/lock-holder.js";
import { parseHolder } from "../../src/core/state/lock-holder.js";
import { toFileError } from "../../src/core/state/state-error.js";
import type { ExistingLock, HeldLock, StoreEnvironment } from "../../src/core/state/store-backend.js";
import { createConflictError, createLockLostError } from "../../src/core/state/stores/errors.js";
import type { Process } from "./machine.js";
import {
  ask,
  type DamagedState,
  damageText,
  foreignLock,
  type LockWatch,
  latencies,
  type SimulatedStore,
} from "./store-calls.js";

const names = {
  state: "state.json",
  journal: "state.json.journal",
  lock: "state.json.lock",
  restore: "git has it",
};

/**
 * Simulates src/core/state/stores/file.ts in memory, with the same steps for the state, journal, lock and
 * history. A process that dies during an append leaves a torn line.
 */
export function openSimulatedFile({ changes, noteLock }: LockWatch): SimulatedStore {
  const files: { state?: string | undefined; journal?: string | undefined; lock?: string | undefined } = {};
  const records: string[] = [];
  let whole: DamagedState | undefined;
  /** Id of the lock under which the journal was last appended. */
  let journalOf: string | undefined;

  const setLock = (text: string | undefined) => {
    files.lock = text;
    noteLock(text);
  };
  const holder = () => parseHolder(files.lock ?? "");
  const isOurs = (mine: Holder) => holder()?.id === mine.id;
  const assertWritable = (process: Process) => {
    if (store.refusesWrites) {
      process.refusedMs ??= process.timeline.nowMs;
      throw createSystemError("ENOSPC");
    }
    process.refusedMs = undefined;
  };

  function find(environment: StoreEnvironment): ExistingLock | undefined {
    if (files.lock === undefined) return undefined;
    const found = holder();
    const { lock } = files;
    if (!found) return { key: lock, holder: found, status: "elsewhere", unreadable: { text: lock } };
    return { key: found.id, holder: found, status: checkHolderStatus(found, environment) };
  }

  function openLock(process: Process, mine: Holder): HeldLock {
    let known: { readonly state: string | undefined } | undefined;
    let isBegun = false;
    const act = <Of>(what: string, work: () => Of) => callDisk(process, what, work);
    const assertOurs = () => {
      if (!isOurs(mine)) throw createLockLostError(names, holder());
    };
    /** Returns the lines, or only their beginning if the process is already dead. */
    const torn = (lines: string) =>
      process.isDead ? lines.slice(0, Math.floor(lines.length * process.random())) : lines;
    return {
      isLocal: true,
      read: () =>
        act("read", () => {
          assertOurs();
          known = { state: files.state };
          return { state: files.state, journal: files.journal };
        }),
      append: (lines) =>
        act("lock", () => {
          assertOurs();
          assertWritable(process);
          if (!isBegun && files.journal !== undefined) throw createSystemError("EEXIST");
          files.journal = `${isBegun ? files.journal : ""}${torn(lines)}`;
          isBegun = true;
          journalOf = mine.id;
        }),
      check: () => act("read", assertOurs),
      appendUnlocked: (lines) =>
        act("lock", () => {
          const isFree = files.lock === undefined || isOurs(mine);
          if (!isFree || !isBegun || journalOf !== mine.id || files.journal === undefined) return false;
          files.journal += torn(lines);
          return true;
        }),
      commit: ({ state, record }) =>
        act("state", () => {
          assertOurs();
          assertWritable(process);
          if (state !== undefined && known && known.state !== files.state) throw createConflictError(names);
          if (record !== undefined && records.at(-1) !== record) records.push(record);
          if (state !== undefined) {
            files.state = state;
            known = { state };
          }
          // The process can be killed between the two file writes.
          if (!process.isDead) files.journal = undefined;
          isBegun = false;
          return {};
        }),
      release: () =>
        act("lock", () => {
          if (isOurs(mine)) setLock(undefined);
        }),
    };
  }

  const store: SimulatedStore = {
    refusesWrites: false,
    setForeignLock(isThere) {
      if (files.lock !== (isThere ? undefined : foreignLock)) return;
      setLock(isThere ? foreignLock : undefined);
    },
    damage(by) {
      if (files.state === undefined || whole) return;
      whole = { text: files.state, damaged: damageText(files.state, by) };
      files.state = whole.damaged;
    },
    repair() {
      if (whole && files.state === whole.damaged) files.state = whole.text;
      whole = undefined;
    },
    changes,
    text: () => `${files.journal}${files.state}${whole?.text}`,
    async open(process, environment) {
      const act = <Of>(what: string, work: () => Of) => callDisk(process, what, work);
      return {
        names,
        read: () =>
          act("read", () => ({ state: files.state, journal: files.journal, lock: find(environment) })),
        findLock: () => act("read", () => find(environment)),
        tryLock: (mine) =>
          act("lock", () => {
            const found = find(environment);
            if (found && found.status !== "dead") return found;
            assertWritable(process);
            setLock(`${JSON.stringify(mine)}\n`);
            return openLock(process, mine);
          }),
        longestPauseMs: 500,
        breakLock: (found) =>
          act("lock", () => {
            if (find(environment)?.key !== found.key) return;
            files.journal = closeJournal(files.journal, names.journal, environment.system.now());
            setLock(undefined);
          }),
        async *readHistory() {
          yield* await act("read", () => records.toReversed());
        },
      };
    },
  };
  return store;
}

/** Calls the disk, which may fail before or after the work. */
async function callDisk<Of>(process: Process, what: string, work: () => Of): Promise<Of> {
  return ask(process, `store ${what}`, latencies.file, (trouble) => {
    if (trouble === "refused" || trouble === "unavailable") throw createSystemError("EIO");
    const done = work();
    if (trouble) throw createSystemError("EIO");
    return done;
  });
}

function createSystemError(code: string): Error {
  return toFileError(Object.assign(new Error(code), { code }), "write", names.state);
}
