import { UsageError } from "../../base/diagnostics/index.js";
import {
  findPastObject,
  type HistoryItem,
  openTexts,
  type PastState,
  type RecordedTexts,
  readObjectHistory,
} from "../../core/history/index.js";
import { listReadableFields } from "../../core/kinds/index.js";
import {
  type HistoryField,
  type HistoryItemDocument,
  type ObjectDocument,
  type RecordedField,
  toHistoryRecord,
  toObjectDocument,
  toShownPoint,
  toShownType,
} from "../../output/documents/index.js";
import type { Runtime } from "../runtime/runtime.js";
import { findSerial, type ProjectHistory, readKind, readRecords, readStateAt } from "./project-history.js";
import { assertInState } from "./state-changes.js";

/**
 * Yields a project's records, newest first. `address` selects the records that changed an object, and `diff` adds the
 * object's texts.
 */
export async function* listHistory(
  past: ProjectHistory,
  { address, diff }: { readonly address?: string | undefined; readonly diff: boolean },
): AsyncGenerator<HistoryItemDocument> {
  if (address === undefined) {
    for await (const item of readRecords(past))
      yield item.is === "record" ? toHistoryRecord(item.record, { earlierState: !item.own }) : toGap(item);
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
    const shown = toHistoryRecord(record, { address: item.address, earlierState: !own });
    if (!diff) {
      yield shown;
      continue;
    }
    texts.add(record);
    const compare = () =>
      shown.changes.map((change) => ({ ...change, fields: withTexts(change.fields, texts) }));
    let changes = compare();
    // Some texts are not in the record itself: after a rename, they are in an older record, and after an interrupted
    // run, in a newer one.
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

/** Replaces digests with recorded texts. */
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
 * Returns an object as last applied, or as of a serial or commit. If a text is missing, shows its digest and the
 * reason.
 *
 * @throws UsageError
 */
export async function showObject(
  runtime: Runtime,
  past: ProjectHistory,
  address: string,
  at: string | undefined,
): Promise<ObjectDocument> {
  const { state } = past;
  const earlier = await readStateAt(
    past,
    at === undefined ? state.serial : await findSerial(runtime, past, at),
  );
  const found = findObject(past, earlier, address);
  if (!found) {
    if (at === undefined) assertInState(address, state);
    throw new UsageError(
      "unknown-address",
      `${address} was not managed at serial ${earlier.serial}. ${earlier.unknown.get(address) ?? "`avatarops history` lists each apply."}`,
    );
  }
  const { entry } = found;
  const fields = listReadableFields(readKind(address, past.manifest.service.profile)).flatMap(
    ([name, field]): RecordedField[] => {
      const { [name]: value } = entry.applied;
      if (value === undefined) return [];
      return [{ field: name, type: toShownType(field), value, ...earlier.texts.find(value) }];
    },
  );
  return toObjectDocument(found.address, entry.id, toShownPoint(earlier), fields);
}

/** Finds an object in an earlier state, under the address that it had then. */
function findObject({ state: { objects } }: ProjectHistory, earlier: PastState, address: string) {
  const now = Object.hasOwn(objects, address) ? objects[address] : undefined;
  return findPastObject(earlier, address, now);
}
