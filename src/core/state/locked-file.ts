import { describeHolder } from "./lock-holder.js";
import { LockedError } from "./state-error.js";
import { newHolder } from "./store.js";
import { isHeldLock, type StoreEnvironment } from "./store-backend.js";
import { openFileStore } from "./stores/file.js";

/** A text in a file that one process at a time may replace. */
export interface LockedFile {
  /** Undefined if there is no file. */
  read(): Promise<string | undefined>;
  /**
   * Replaces the text: at any moment the file has the complete old text, or the complete new one.
   *
   * @throws StateError `lock-lost` or `conflict` if the file is not ours any more.
   */
  replace(text: string): Promise<void>;
  release(): Promise<void>;
}

/**
 * Holds a file, with the same lock as a state in a file.
 *
 * @throws LockedError if another process holds it; StateError if the lock cannot be written.
 */
export async function openLockedFile(
  file: string,
  command: string,
  environment: StoreEnvironment,
): Promise<LockedFile> {
  const store = await openFileStore(file, environment);
  const hold = await store.tryLock(newHolder(environment, command));
  if (isHeldLock(hold)) {
    return {
      read: async () => (await hold.read()).state,
      replace: (text) => hold.commit({ state: text }),
      release: () => hold.release(),
    };
  }
  const { holder, status } = hold;
  const who = holder ? describeHolder(holder) : "another process";
  const advice =
    status === "elsewhere"
      ? `If that process is dead, which avatarops cannot see from this machine, delete ${store.names.lock}.`
      : "Stop that process, or name another file.";
  throw new LockedError(store.names.lock, `${file} is in use by ${who}. ${advice}`, holder);
}
