import { diffArrays } from "diff";

type Entry = Readonly<Record<string, string>>;

/** An entry of a list that differs between the two versions in place or content. */
export interface EntryChange {
  readonly kind: "removed" | "added" | "moved";
  readonly entry: Entry;
}

/** With more edits the lists are shown as replaced; see prose-diff on the cost. */
const maxEdits = 1_000;

/**
 * The differences of two lists, entry by entry, in the order of the lists; an entry that only changed its
 * place has moved.
 */
export function diffEntries(before: readonly Entry[], after: readonly Entry[]): EntryChange[] {
  const old = before.map((entry) => JSON.stringify(entry));
  const now = after.map((entry) => JSON.stringify(entry));
  const parts = diffArrays(old, now, { maxEditLength: maxEdits }) ?? [
    { value: old, removed: true, added: false },
    { value: now, removed: false, added: true },
  ];
  const texts = (kind: "removed" | "added") =>
    parts.filter((part) => part[kind]).flatMap(({ value }) => value);
  const moved = inBoth(texts("removed"), texts("added"));
  const left = { removed: new Map(moved), added: new Map(moved) };
  return parts.flatMap(({ value, removed, added }) => {
    const kind = removed ? "removed" : "added";
    if (!removed && !added) return [];
    return value.flatMap((text): EntryChange[] => {
      const entry = JSON.parse(text) as Entry;
      if (!take(left[kind], text)) return [{ kind, entry }];
      return kind === "added" ? [{ kind: "moved", entry }] : [];
    });
  });
}

/** How often each text is in both. */
function inBoth(a: readonly string[], b: readonly string[]): Map<string, number> {
  const [inA, inB] = [tally(a), tally(b)];
  return new Map([...inA].map(([text, times]) => [text, Math.min(times, inB.get(text) ?? 0)]));
}

function tally(texts: readonly string[]): Map<string, number> {
  const times = new Map<string, number>();
  for (const text of texts) times.set(text, (times.get(text) ?? 0) + 1);
  return times;
}

function take(left: Map<string, number>, text: string): boolean {
  const times = left.get(text) ?? 0;
  left.set(text, times - 1);
  return times > 0;
}
