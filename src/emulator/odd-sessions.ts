/** Entries of another shape than the document's, for clients that have to survive them. */

type Entry = Readonly<Record<string, unknown>>;

const oddities: readonly ((entry: Entry) => unknown)[] = [
  ({ id }) => id,
  ({ id, ...rest }) => rest,
  ({ id }) => ({ id }),
  (entry) => ({ ...entry, duration: `${entry.duration} s`, credits_consumed: null, is_sandbox: "no" }),
  (entry) => ({ ...entry, mode: "HOLOGRAM", source: "PHONE", end_reason: "SOLAR_FLARE", rooms: [{ id: 1 }] }),
  (entry) => ({ ...entry, created_at: "yesterday" }),
];

/** The entry, or another shape of it: of every so many entries, one. The same entry always gets the same shape. */
export function odd(entry: Entry & { readonly id: string }, every: number | null, hash: number): unknown {
  if (every === null || hash % every !== 0) return entry;
  return oddities[Math.floor(hash / every) % oddities.length]?.(entry);
}
