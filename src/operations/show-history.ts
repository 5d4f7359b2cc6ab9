import { UsageError } from "../base/diagnostics/index.js";
import {
  definitionsIn,
  type HistoryItem,
  objectHistory,
  type PastState,
  pastObject,
} from "../core/history/index.js";
import { readableFields } from "../core/kinds/index.js";
import type { Definitions } from "../core/state/index.js";
import {
  fieldsThatDiffer,
  type HistoryDiffDocument,
  type HistoryField,
  type HistoryItemDocument,
  historyDiff,
  historyRecord,
  isForgotten,
  type ObjectDocument,
  type ObjectField,
  objectDocument,
  shownPoint,
  shownType,
} from "../output/documents/index.js";
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
  for await (const item of objectHistory(readRecords(past), address)) {
    if (item.is !== "record") {
      yield toGap(item);
      continue;
    }
    const { record, own, previous } = item;
    const shown = historyRecord(record, { address: item.address, earlierState: !own });
    const after = definitionsIn(record);
    const sides = { after, before: [...(previous ? definitionsIn(previous) : []), ...after] };
    const changes = [];
    for (const change of diff ? shown.changes : [])
      changes.push({ ...change, fields: await withTexts(past, change.address, change.fields, sides) });
    yield diff ? { ...shown, changes } : shown;
  }
}

function toGap(item: Exclude<HistoryItem, { is: "record" }>): HistoryItemDocument {
  if (item.is === "missing") return { gap: "missing", from: item.from, to: item.to };
  const { why, serial } = item;
  return { gap: why, ...(serial === undefined ? {} : { from: serial, to: serial }) };
}

/**
 * What an object had at two moments.
 *
 * @param range `12..15`, or `12..` (until now), with serials or commits.
 * @throws UsageError
 */
export async function compareInHistory(
  past: ProjectHistory,
  address: string,
  range: string,
): Promise<HistoryDiffDocument> {
  const [first = "", last, more] = range.split("..");
  if (first === "" || last === undefined || more !== undefined)
    throw new UsageError(
      "usage",
      `"${range}" is not a range: write FROM..TO, with serials or commits, e.g. 12..15.`,
    );
  const from = await stateAt(past, await findSerial(past, first));
  const to = await stateAt(past, last === "" ? past.state.serial : await findSerial(past, last));
  for (const { unknown, serial } of [from, to]) {
    const why = unknown.get(address);
    if (why !== undefined)
      throw new UsageError("lost-records", `What ${address} had at serial ${serial} is not known. ${why}`);
  }
  const [before, after] = [findObject(past, from, address), findObject(past, to, address)];
  if (!before && !after)
    throw new UsageError(
      "unknown-address",
      `${address} was managed neither at serial ${from.serial} nor at serial ${to.serial}: \`avatarops history ${address}\` shows when it was.`,
    );
  const fields = await withTexts(past, address, fieldsThatDiffer(address, before?.entry, after?.entry), {
    before: before?.definitions ?? [],
    after: after?.definitions ?? [],
  });
  return historyDiff(address, shownPoint(from), shownPoint(to), fields);
}

/** Where the texts of both sides of a difference may be. */
interface DefinitionSides {
  readonly before: readonly Definitions[];
  readonly after: readonly Definitions[];
}

/** The differences with their texts instead of digests, where they are found. */
async function withTexts(
  { finder }: ProjectHistory,
  address: string,
  fields: readonly HistoryField[],
  sides: DefinitionSides,
): Promise<HistoryField[]> {
  const kind = kindAt(address);
  const found: HistoryField[] = [];
  for (const field of fields) {
    let shown = field;
    for (const side of ["after", "before"] as const) {
      const stored = field[side];
      if (stored === undefined || !isForgotten(stored)) continue;
      const text = await finder.find({ address, kind, field: field.field, stored, definitions: sides[side] });
      shown = "value" in text ? { ...shown, [side]: text.value } : { ...shown, missing: text.missing };
    }
    found.push(shown);
  }
  return found;
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
  const { finder, state } = past;
  const earlier = await stateAt(past, at === undefined ? state.serial : await findSerial(past, at));
  const found = findObject(past, earlier, address);
  if (!found) {
    if (at === undefined) failUnlessInState(address, state);
    throw new UsageError(
      "unknown-address",
      `${address} was not managed at serial ${earlier.serial}. ${earlier.unknown.get(address) ?? `\`avatarops history ${address}\` shows when it was.`}`,
    );
  }
  const { entry, definitions } = found;
  const kind = kindAt(address);
  const fields: ObjectField[] = [];
  for (const [name, field] of readableFields(kind)) {
    const stored = entry.applied[name];
    if (stored === undefined) continue;
    const text = isForgotten(stored)
      ? await finder.find({ address: found.address, kind, field: name, stored, definitions })
      : { value: stored };
    fields.push({ field: name, type: shownType(field), value: stored, ...text });
  }
  return objectDocument(found.address, entry.id, shownPoint(earlier), fields);
}

/** An object at an earlier time, under the address that it had then. */
function findObject({ state: { objects } }: ProjectHistory, earlier: PastState, address: string) {
  const now = Object.hasOwn(objects, address) ? objects[address] : undefined;
  const found = pastObject(earlier, address, now);
  return found && { address: found.address, ...found.object };
}
