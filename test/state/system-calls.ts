import { existsSync } from "node:fs";
import fs, { type FileHandle } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { dirname } from "node:path";

/** File system call, numbered from 0. */
export interface SystemCall {
  readonly name: string;
  readonly number: number;
}

/**
 * Fate of a call. The process can stop before the call or in the middle of a write, and the system can reject the call.
 */
export type Fate = "happens" | "freezes" | "tears" | { readonly refuse: string };

export interface Ended<Of> {
  /** Undefined if the process stopped. */
  readonly result: PromiseSettledResult<Of> | undefined;
  readonly calls: readonly SystemCall[];
  /** Number of bytes that are guaranteed to be on disk, by path. */
  readonly synced: ReadonlyMap<string, number>;
  /**
   * Names created or renamed since the last sync of their folder, each with its previous text, or undefined for a new
   * file.
   */
  readonly unsyncedNames: ReadonlyMap<string, Buffer | undefined>;
}

const names = ["open", "mkdir", "rename", "rm", "writeFile", "readFile", "link", "stat", "realpath"] as const;
/** Index of the argument with the new path. */
const nameAt: Readonly<Record<string, number>> = { rename: 1, link: 1 };
const handleNames = ["appendFile", "writeFile", "sync", "datasync"] as const;

/**
 * Runs `work` on the real file system and decides the fate of each call. A frozen call and all later ones never return,
 * so the files look as after a SIGKILL at that point.
 */
export async function watchCalls<Of>(
  work: () => Promise<Of>,
  fateOf: (call: SystemCall) => Fate | Promise<Fate>,
): Promise<Ended<Of>> {
  const calls: SystemCall[] = [];
  const synced = new Map<string, number>();
  const unsyncedNames = new Map<string, Buffer | undefined>();
  const paths = new Map<FileHandle, string>();
  let frozen = false;
  let onFrozen = () => {};
  const stopped = new Promise<undefined>((resolve) => {
    onFrozen = () => resolve(undefined);
  });

  const decide = async <Result>(
    name: string,
    really: () => Promise<Result>,
    torn?: () => Promise<unknown>,
  ) => {
    const call = { name, number: calls.length };
    calls.push(call);
    const fate = frozen ? "freezes" : await fateOf(call);
    if (fate === "happens") return really();
    if (typeof fate === "object") throw Object.assign(new Error(fate.refuse), { code: fate.refuse });
    frozen = true;
    if (fate === "tears") await torn?.();
    onFrozen();
    return new Promise<Result>(() => {});
  };

  const original = { ...fs };
  const probe = await fs.open("/dev/null");
  const prototype = Object.getPrototypeOf(probe) as FileHandle;
  await probe.close();
  const originalOf = Object.fromEntries(handleNames.map((name) => [name, prototype[name]]));

  for (const name of names) {
    const really = original[name] as (...given: unknown[]) => Promise<unknown>;
    const patched = (...given: unknown[]) =>
      decide(name, async () => {
        await noteName(name, String(given[nameAt[name] ?? 0]));
        const answer = await really(...given);
        if (name === "open") paths.set(answer as FileHandle, String(given[0]));
        if (name === "rename") move(String(given[0]), String(given[1]));
        return answer;
      });
    Object.assign(fs, { [name]: patched });
  }
  for (const name of handleNames) {
    const really = originalOf[name] as (this: FileHandle, ...given: unknown[]) => Promise<unknown>;
    Object.assign(prototype, {
      [name](this: FileHandle, ...given: unknown[]) {
        const half = String(given[0]).slice(0, String(given[0]).length / 2);
        return decide(
          name,
          async () => {
            const answer = await really.apply(this, given);
            if (name.endsWith("sync")) noteSync(paths.get(this) ?? "", (await this.stat()).size);
            return answer;
          },
          async () => name.endsWith("File") && (await really.call(this, half)),
        );
      },
    });
  }
  const noteName = async (name: string, path: string) => {
    const isNew = !existsSync(path);
    // Only a rename replaces a file. A removal persists.
    if (name === "rm" || unsyncedNames.has(path) || !(isNew || name === "rename")) return;
    unsyncedNames.set(path, isNew ? undefined : await original.readFile(path));
  };
  const noteSync = (path: string, size: number) => {
    synced.set(path, size);
    for (const name of unsyncedNames.keys()) if (dirname(name) === path) unsyncedNames.delete(name);
  };
  const move = (from: string, to: string) => {
    const size = synced.get(from);
    if (size === undefined && from.endsWith(".next"))
      throw new Error(`${from} was renamed before it was synced`);
    if (size !== undefined) synced.set(to, size);
  };
  syncBuiltinESMExports();
  try {
    const [result] = await Promise.race([Promise.allSettled([work()]), stopped.then(() => [undefined])]);
    return { result, calls, synced, unsyncedNames };
  } finally {
    Object.assign(fs, original);
    Object.assign(prototype, originalOf);
    syncBuiltinESMExports();
    await Promise.all([...paths.keys()].map((handle) => handle.close().catch(() => {})));
  }
}
