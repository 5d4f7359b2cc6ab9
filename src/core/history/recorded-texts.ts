import { digestValue } from "../kinds/index.js";
import { type CommitRecord, isDigest, type LongValue, type StoredValue } from "../state/index.js";
import type { HistoryItem } from "./read-history.js";

/** What a stored value is; or why it cannot be shown, as the end of a sentence. */
export type ValueLookup = { readonly value: LongValue } | { readonly missing: string };

export type RecordedTexts = ReturnType<typeof openTexts>;

/** Collects the texts of records. It does not matter which record has one: it is right if it has the digest. */
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
      return value === undefined ? { missing: "no record of the history has it" } : { value };
    },
  };
}

/** Records that are read: each is a request to some stores. */
const mostRecords = 50;

/** The texts of the newest records, as many as it takes to know these values. */
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
    if (isKnown() || ++read >= mostRecords) break;
  }
  return texts;
}
