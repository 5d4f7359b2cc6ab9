import { digestValue } from "../kinds/index.js";
import { type CommitRecord, isDigest, type LongValue, type StoredValue } from "../state/index.js";
import type { HistoryItem } from "./read-history.js";

/** Stored value, or a clause that explains why it cannot be shown. */
export type ValueLookup = { readonly value: LongValue } | { readonly missing: string };

export type RecordedTexts = ReturnType<typeof openTexts>;

/** Collects texts from records. Texts are looked up by digest, so it does not matter which record contains them. */
export function openTexts() {
  const texts = new Map<string, LongValue>();
  return {
    add(record: Pick<CommitRecord, "texts">): void {
      for (const [digest, text] of Object.entries(record.texts ?? {}))
        if (!texts.has(digest) && digestValue(text) === digest) texts.set(digest, text);
    },
    find(stored: StoredValue): ValueLookup {
      if (!isDigest(stored)) return { value: stored };
      const value = texts.get(stored.digest);
      return value === undefined ? { missing: "no history record contains it" } : { value };
    },
  };
}

/** Maximum number of records to read, because each takes a request in some stores. */
const maxRecords = 50;

/** Reads the newest records until the texts for all given values are found. */
export async function readTexts(
  history: AsyncIterable<HistoryItem>,
  wanted: readonly (StoredValue | undefined)[],
): Promise<RecordedTexts> {
  const texts = openTexts();
  const isKnown = () => wanted.every((stored) => stored === undefined || "value" in texts.find(stored));
  let read = 0;
  if (isKnown()) return texts;
  for await (const item of history) {
    if (item.is === "record") texts.add(item.record);
    if (isKnown() || ++read >= maxRecords) break;
  }
  return texts;
}
