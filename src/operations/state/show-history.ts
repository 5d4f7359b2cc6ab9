import { UsageError } from "../../base/diagnostics/index.js";
import {
  findPastObject,
  type HistoryItem,
  openTexts,
  type PastState,
  type RecordedTexts,
  readObjectHistory,
} from "../../core/history/index.js";
import { readableFields } from "../../core/kinds/index.js";
import {
  type HistoryField,
  type HistoryItemDocument,
  historyRecord,
  type ObjectDocument,
  type ObjectField,
  objectDocument,
  shownPoint,
  shownType,
} from "../../output/documents/index.js";
import { findSerial, kindAt, type ProjectHistory, readRecords, stateAt } from "./project-history.js";
import { failUnlessInState } from "./state-changes.js";

/** The records of a project, newest first; with `address` those that changed the object, with `diff` with its texts. */
export async function* listHistory(
  past: ProjectHistory,
  { address, diff }: { readonly address?: string | undefined; readonly diff: boolean },
): AsyncGenerator<HistoryItemDocument> {
  if (address === undefined) {
    for await (const item of readRecords(past))
      yield item.is === "record" ? historyRecord(item.record, { earlierState: !item.own }) : toGap(item);
    return;
  }
  const texts = openTexts();
  let isWhole = false;
  for await (const item of readObjectHistory(readRecords(past), address)) {
    if (item.is !== "record") {
      yield toGap(item);
      continue;
    }
    const { record, own } = item;
    const shown = historyRecord(record, { address: item.address, earlierState: !own });
    if (!diff) {
      yield shown;
      continue;
    }
    texts.add(record);
    const compare = () =>
      shown.changes.map((change) => ({ ...change, fields: withTexts(change.fields, texts) }));
    let changes = compare();
    // An older record has what was only renamed, a newer one what an interrupted run wrote.
    if (!isWhole && changes.some(({ fields }) => fields.some(({ missing }) => missing))) {
      for await (const one of readRecords(past)) if (one.is === "record") texts.add(one.record);
      isWhole = true;
      changes = compare();
    }
    yield { ...shown, changes };
  }
}

function toGap(item: Exclude<HistoryItem, { is: "record" }>): HistoryItemDocument {
  if (item.is === "missing") return { gap: "missing", from: item.from, to: item.to };
  const { why, serial } = item;
  return { gap: why, ...(serial === undefined ? {} : { from: serial, to: serial }) };
}

/** The differences with their texts instead of digests, where they are recorded. */
function withTexts(fields: readonly HistoryField[], texts: RecordedTexts): HistoryField[] {
  return fields.map((field) => {
    let shown = field;
    for (const side of ["after", "before"] as const) {
      const { [side]: stored } = field;
      const found = stored === undefined ? undefined : texts.find(stored);
      if (found) shown = "value" in found ? { ...shown, [side]: found.value } : { ...shown, ...found };
    }
    return shown;
  });
}

/**
 * An object as it was applied, now or at a serial or commit. A text that is not found is its digest, with the reason.
 *
 * @throws UsageError
 */
export async function showObject(
  past: ProjectHistory,
  address: string,
  at: string | undefined,
): Promise<ObjectDocument> {
  const { state } = past;
  const earlier = await stateAt(past, at === undefined ? state.serial : await findSerial(past, at));
  const found = findObject(past, earlier, address);
  if (!found) {
    if (at === undefined) failUnlessInState(address, state);
    throw new UsageError(
      "unknown-address",
      `${address} was not managed at serial ${earlier.serial}. ${earlier.unknown.get(address) ?? "`avatarops history` shows what was applied when."}`,
    );
  }
  const { entry } = found;
  const fields = readableFields(kindAt(address)).flatMap(([name, field]): ObjectField[] => {
    const { [name]: value } = entry.applied;
    if (value === undefined) return [];
    return [{ field: name, type: shownType(field), value, ...earlier.texts.find(value) }];
  });
  return objectDocument(found.address, entry.id, shownPoint(earlier), fields);
}

/** An object at an earlier time, under the address that it had then. */
function findObject({ state: { objects } }: ProjectHistory, earlier: PastState, address: string) {
  const now = Object.hasOwn(objects, address) ? objects[address] : undefined;
  return findPastObject(earlier, address, now);
}
