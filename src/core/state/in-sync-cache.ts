import { createHash } from "node:crypto";
import { access, constants, lstat, mkdir, realpath, stat } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";
import { readRegular, resolveInside, writeInside } from "../../base/files/index.js";
import { parseJson } from "../../base/text/index.js";
import type { MutableState } from "./journal.js";
import type { StateEntry } from "./state.js";

/**
 * Caches observations to save requests. An observation records the `updated_at` at which a live object had the last
 * applied values. Observations are not part of the state, so an apply without changes leaves the state unchanged.
 *
 * An observation is valid only for the same id and applied values, because another run may have applied other values
 * since, or a user may have restored an older state.
 */
export interface ObservationCache {
  /** Adds the cached observations to a state. */
  recall(draft: MutableState): Promise<void>;
  /** Stores the observations. Never fails, because the next run can repeat a lost observation. */
  keep(draft: MutableState): Promise<void>;
}

/**
 * Finds the user's cache folder for observations. Ignores a folder in a git work tree, because a committed observation
 * could hide edits.
 */
export async function findCacheFolder(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  const { XDG_CACHE_HOME, LOCALAPPDATA, HOME } = environment;
  const base = XDG_CACHE_HOME || LOCALAPPDATA || (HOME && path.join(HOME, ".cache"));
  if (!base || !path.isAbsolute(base)) return undefined;
  try {
    await mkdir(base, { recursive: true });
    const folder = path.join(await realpath(base), "avatarops", "observations");
    for (let at = folder; at !== path.dirname(at); at = path.dirname(at))
      if (await exists(path.join(at, ".git"))) return undefined;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await access(folder, constants.W_OK);
    const { mode } = await stat(folder);
    const isShared = (mode & 0o022) !== 0;
    return isShared ? undefined : folder;
  } catch {
    // The folder is not writable, so every run observes again.
    return undefined;
  }
}

const exists = (file: string) =>
  lstat(file).then(
    () => true,
    () => false,
  );

/** Opens a cache with one file per lineage, which stays the same when a state moves to another store. */
export function openFolderCache(findFolder: () => Promise<string | undefined>): ObservationCache {
  return openCache({
    async read(lineage) {
      const folder = await findFolder();
      if (folder === undefined) return undefined;
      const reading = resolveInside(folder, toFileName(lineage)).then(readRegular);
      return reading.then(String, () => undefined);
    },
    async write(lineage, content) {
      const folder = await findFolder();
      if (folder !== undefined)
        await writeInside(folder, [{ file: toFileName(lineage), content }]).catch(() => undefined);
    },
  });
}

export function createMemoryCache(): ObservationCache {
  const texts = new Map<string, string>();
  return openCache({
    read: async (lineage) => texts.get(lineage),
    write: async (lineage, text) => void texts.set(lineage, text),
  });
}

/** Cache that stores nothing, for untrusted changes. */
export const noCache: ObservationCache = { recall: async () => {}, keep: async () => {} };

interface CachedTexts {
  read(lineage: string): Promise<string | undefined>;
  write(lineage: string, text: string): Promise<void>;
}

function openCache({ read, write }: CachedTexts): ObservationCache {
  /** Stored text by lineage, to skip writes that would change nothing. Most commits observe nothing new. */
  const known = new Map<string, string>();
  return {
    async recall(draft) {
      const text = await read(draft.lineage);
      if (text === undefined) return;
      known.set(draft.lineage, text);
      for (const [address, [basis, inSyncAt]] of Object.entries(parseObservations(text))) {
        const entry = draft.objects[address];
        if (entry && digestBasis(entry) === basis) draft.objects[address] = { ...entry, inSyncAt };
      }
    },
    async keep(draft) {
      const text = encodeObservations(draft);
      if (known.get(draft.lineage) === text) return;
      known.set(draft.lineage, text);
      await write(draft.lineage, text);
    },
  };
}

function toFileName(lineage: string): string {
  return `${digest(lineage)}.json`;
}

type Observations = Readonly<Record<string, readonly [basis: string, inSyncAt: string]>>;

const shape = z.object({
  version: z.literal(1),
  objects: z.record(z.string(), z.tuple([z.string(), z.string()])),
});

function parseObservations(text: string): Observations {
  return shape.safeParse(parseJson(text)).data?.objects ?? {};
}

function encodeObservations(draft: MutableState): string {
  const observed = Object.keys(draft.objects)
    .sort()
    .flatMap((address) => {
      const entry = draft.objects[address];
      return entry?.inSyncAt === undefined ? [] : [[address, [digestBasis(entry), entry.inSyncAt]] as const];
    });
  return `${JSON.stringify({ version: 1, objects: Object.fromEntries(observed) })}\n`;
}

function digestBasis({ id, applied }: StateEntry): string {
  return digest(JSON.stringify([id, applied]));
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
