import { createHash } from "node:crypto";
import * as z from "zod";
import { readRegular, realInside, writeInside } from "../../base/files/index.js";
import { parseJson } from "../../base/text/index.js";
import type { Draft } from "./journal.js";
import type { Entry } from "./state.js";

/**
 * What was only observed: at which `updated_at` a live object was seen to equal what was last applied. It saves
 * requests, and nothing depends on it. It is not part of the state, so that an apply that changes nothing leaves the
 * state as it is, byte by byte, and it is not shared: its folder holds a `.gitignore` for itself.
 *
 * An observation counts only for the id and the applied values that it was made of: another run may have applied
 * others since, or somebody may have restored an older state.
 */
export interface ObservationCache {
  /** Adds to a state what was observed of its objects. */
  recall(draft: Draft): Promise<void>;
  /** Never fails: what cannot be kept is observed again. */
  keep(draft: Draft): Promise<void>;
}

interface CachePlace {
  readonly root?: string;
  readonly isUntrusted?: boolean;
  readonly cache?: ObservationCache | undefined;
}

/** The cache of a project's folder; none without a folder that is trusted. */
export function openObservationCache({ root, isUntrusted, cache }: CachePlace): ObservationCache {
  if (cache) return cache;
  if (root === undefined || isUntrusted) return { recall: async () => {}, keep: async () => {} };
  /** The text of the file, by its name: most commits observe nothing new. */
  const known = new Map<string, string>();
  return {
    async recall(draft) {
      const file = cacheFile(draft);
      const reading = realInside(root, file).then(readRegular);
      const text = await reading.then(String, () => undefined);
      if (text === undefined) return;
      known.set(file, text);
      for (const [address, [basis, inSyncAt]] of Object.entries(parseObservations(text))) {
        const entry = draft.objects[address];
        if (entry && digestBasis(entry) === basis) draft.objects[address] = { ...entry, inSyncAt };
      }
    },
    async keep(draft) {
      const file = cacheFile(draft);
      const text = encodeObservations(draft);
      if (known.get(file) === text) return;
      known.set(file, text);
      const files = [
        { file: `${folder}/.gitignore`, content: "*\n" },
        { file, content: text },
      ];
      await writeInside(root, files).catch(() => undefined);
    },
  };
}

/** In the project folder. */
const folder = ".avatarops/cache";

/** A state that moves to another store keeps its lineage. */
function cacheFile({ lineage }: Draft): string {
  return `${folder}/${digest(lineage)}.json`;
}

type Observations = Readonly<Record<string, readonly [basis: string, inSyncAt: string]>>;

const shape = z.object({
  version: z.literal(1),
  objects: z.record(z.string(), z.tuple([z.string(), z.string()])),
});

function parseObservations(text: string): Observations {
  return shape.safeParse(parseJson(text)).data?.objects ?? {};
}

function encodeObservations(draft: Draft): string {
  const observed = Object.keys(draft.objects)
    .sort()
    .flatMap((address) => {
      const entry = draft.objects[address];
      return entry?.inSyncAt === undefined ? [] : [[address, [digestBasis(entry), entry.inSyncAt]] as const];
    });
  return `${JSON.stringify({ version: 1, objects: Object.fromEntries(observed) })}\n`;
}

function digestBasis({ id, applied }: Entry): string {
  return digest(JSON.stringify([id, applied]));
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
