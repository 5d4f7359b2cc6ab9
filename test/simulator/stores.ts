import {
  openLockable,
  type StoredPart,
  type SwapDetails,
  type VersionedText,
} from "../../src/core/state/stores/lock-by-swap.js";
import { type SwapTexts, toSwapStore } from "../state/swap-store.js";
import { openSimulatedFile } from "./file-store.js";
import type { Process } from "./machine.js";
import {
  askServer,
  type DamagedState,
  damageText,
  foreignLock,
  type LockWatch,
  latencies,
  type Note,
  type SimulatedStore,
  type StoreSort,
  watchLock,
} from "./store-calls.js";
import type { Timeline } from "./timeline.js";

/** Creates a store. `note` receives each new lock holder. */
export function createStore(sort: StoreSort, timeline: Timeline, note: Note = () => {}): SimulatedStore {
  const lock = watchLock(timeline, note);
  return sort === "file" ? openSimulatedFile(lock) : createSwapStore(sort, lock);
}

/** Stores strings with compare-and-swap, like git refs or database rows. */
function createSwapStore(sort: "git" | "row", { changes, noteLock }: LockWatch): SimulatedStore {
  const parts = new Map<StoredPart, VersionedText>();
  const records: string[] = [];
  let whole: DamagedState | undefined;
  let writes = 0;

  const current = (part: StoredPart): VersionedText =>
    parts.get(part) ?? { text: undefined, version: undefined };

  function replace(
    process: Process,
    part: StoredPart,
    text: string | undefined,
    seen: VersionedText,
    record: string | undefined,
  ) {
    if (store.refusesWrites) {
      process.refusedMs ??= process.timeline.nowMs;
      throw Object.assign(new Error("the server rejects writes"), { code: "refused" });
    }
    process.refusedMs = undefined;
    if (current(part).version !== seen.version) return undefined;
    // A deleted ref has no version. A cleared row still has one.
    const version = text === undefined && sort === "git" ? undefined : `${sort}-${++writes}`;
    parts.set(part, { text, version });
    if (record !== undefined && records.at(-1) !== record) records.push(record);
    if (part === "lock") noteLock(text);
    return current(part);
  }

  const putState = (text: string) => parts.set("state", { text, version: `${sort}-${++writes}` });

  function openTexts(process: Process): SwapTexts {
    const latency = latencies[sort];
    return {
      read: (...asked) => askServer(process, "store read", latency, () => asked.map(current)),
      async swap(part, text, seen, { record, lock }: SwapDetails) {
        const isLockSame = () => lock === undefined || current("lock").version === lock.version;
        // git checks the lock before pushing, and the server checks the replaced value.
        if (sort === "git" && lock && !(await askServer(process, "store read", latency, isLockSame)))
          return undefined;
        return askServer(process, `store ${part}`, latency, () =>
          sort === "git" || isLockSame() ? replace(process, part, text, seen, record) : undefined,
        );
      },
      async *readHistory() {
        yield* await askServer(process, "store read", latency, () => records.toReversed());
      },
    };
  }

  const store: SimulatedStore = {
    refusesWrites: false,
    setForeignLock(isThere) {
      const { text } = current("lock");
      if (text !== (isThere ? undefined : foreignLock)) return;
      const next = isThere ? foreignLock : undefined;
      const version = next === undefined && sort === "git" ? undefined : `${sort}-${++writes}`;
      parts.set("lock", { text: next, version });
      noteLock(next);
    },
    damage(by) {
      const { text } = current("state");
      if (!text?.trim() || whole) return;
      whole = { text, damaged: damageText(text, by) };
      putState(whole.damaged);
    },
    repair() {
      // Fencing adds line feeds.
      if (whole && current("state").text?.trimEnd() === whole.damaged.trimEnd()) putState(whole.text);
      whole = undefined;
    },
    changes,
    text: () => `${current("lock").text}${current("state").text}${whole?.text}`,
    async open(process, environment) {
      return openLockable(toSwapStore(openTexts(process), `${sort}:state`, environment), environment);
    },
  };
  return store;
}
