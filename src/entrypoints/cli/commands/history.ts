import { UsageError } from "../../../base/diagnostics/index.js";
import { definitionsIn, type HistoryItem, objectHistory, pastObject } from "../../../core/history/index.js";
import {
  findSerial,
  kindAt,
  openHistory,
  type ProjectHistory,
  readRecords,
  stateAt,
  toPoint,
  withTexts,
} from "../../../operations/index.js";
import {
  fieldsThatDiffer,
  type HistoryItemDocument,
  historyDiff,
  historyHead,
  historyRecord,
} from "../../../output/documents/index.js";
import {
  historyJson,
  renderHistoryDiffMarkdown,
  renderHistoryDiffText,
  renderHistoryItemMarkdown,
  renderHistoryItemText,
  renderJson,
} from "../../../output/render/index.js";
import type { CommandCall, RunCommand } from "../command.js";
import { exitCode } from "../exit-code.js";
import type { historyCommand } from "../facts/team.js";

export const command: RunCommand<typeof historyCommand> = async (call) => {
  const [address, range] = call.arguments;
  if (address !== undefined) kindAt(address);
  else if (call.options.diff)
    throw new UsageError("usage", "--diff compares the texts of one object: name its address.");
  const past = await openHistory(call);
  if (address !== undefined && range !== undefined) await showRange(call, past, address, range);
  else await showItems(call, past, address);
  return exitCode.done;
};

async function showItems(
  call: CommandCall<typeof historyCommand>,
  past: ProjectHistory,
  address: string | undefined,
): Promise<void> {
  const { output } = call;
  const diff = call.options.diff;
  const limit = call.options.limit ?? Number.POSITIVE_INFINITY;
  let count = 0;
  async function* counted(): AsyncGenerator<HistoryItemDocument> {
    const items = address === undefined ? allItems(past) : itemsOfObject(past, address, diff);
    for await (const item of items) {
      call.signal.throwIfAborted();
      yield item;
      if (!("gap" in item)) count += 1;
      if (count >= limit) return;
    }
  }
  if (output.format === "json")
    for await (const part of historyJson(historyHead(address), counted())) output.result(part);
  else
    for await (const item of counted()) {
      const text = { ...output.stdoutText, diff };
      output.result(
        output.format === "markdown"
          ? renderHistoryItemMarkdown(item, { diff })
          : renderHistoryItemText(item, text),
      );
    }
  if (count > 0) return;
  if (address !== undefined && !Object.hasOwn(past.state.objects, address))
    throw new UsageError(
      "unknown-address",
      `Neither the state nor its history has ${address}: \`avatarops state list\` and \`avatarops history\` show what they have.`,
    );
  output.info(
    address === undefined
      ? "No record is kept yet: the next apply that changes something leaves one."
      : `No record of a change of ${address} is kept.`,
  );
}

async function* allItems(past: ProjectHistory): AsyncGenerator<HistoryItemDocument> {
  for await (const item of readRecords(past))
    yield item.is === "record" ? historyRecord(item.record, { earlierState: !item.own }) : gapOf(item);
}

async function* itemsOfObject(
  past: ProjectHistory,
  address: string,
  diff: boolean,
): AsyncGenerator<HistoryItemDocument> {
  for await (const item of objectHistory(readRecords(past), address)) {
    if (item.is !== "record") {
      yield gapOf(item);
      continue;
    }
    const { record, own, previous } = item;
    const shown = historyRecord(record, { address: item.address, earlierState: !own });
    if (!diff) {
      yield shown;
      continue;
    }
    const after = definitionsIn(record);
    const sides = { after, before: [...(previous ? definitionsIn(previous) : []), ...after] };
    const changes = [];
    for (const change of shown.changes)
      changes.push({
        ...change,
        fields: await withTexts(past.finder, change.address, change.fields, sides),
      });
    yield { ...shown, changes };
  }
}

function gapOf(item: Exclude<HistoryItem, { is: "record" }>): HistoryItemDocument {
  if (item.is === "missing") return { gap: "missing", from: item.from, to: item.to };
  const { why, serial } = item;
  return { gap: why, ...(serial === undefined ? {} : { from: serial, to: serial }) };
}

/** What an object had at two moments. */
async function showRange(
  call: CommandCall<typeof historyCommand>,
  past: ProjectHistory,
  address: string,
  range: string,
): Promise<void> {
  const [first, last] = await pointsIn(past, range);
  const [from, to] = [await stateAt(past, first), await stateAt(past, last)];
  const now = Object.hasOwn(past.state.objects, address) ? past.state.objects[address] : undefined;
  for (const { unknown, serial } of [from, to]) {
    const why = unknown.get(address);
    if (why !== undefined)
      throw new UsageError("lost-records", `What ${address} had at serial ${serial} is not known. ${why}`);
  }
  const [old, then] = [pastObject(from, address, now), pastObject(to, address, now)];
  if (!old && !then)
    throw new UsageError(
      "unknown-address",
      `${address} was managed neither at serial ${first} nor at serial ${last}: \`avatarops history ${address}\` shows when it was.`,
    );
  const fields = await withTexts(
    past.finder,
    address,
    fieldsThatDiffer(address, old?.object.entry, then?.object.entry),
    { before: old?.object.definitions ?? [], after: then?.object.definitions ?? [] },
  );
  const document = historyDiff(address, toPoint(from), toPoint(to), fields);
  const { format, stdoutText } = call.output;
  if (format === "json") call.output.result(renderJson(document));
  else if (format === "markdown") call.output.result(renderHistoryDiffMarkdown(document));
  else call.output.result(renderHistoryDiffText(document, stdoutText));
}

/** `12..15`, `12..` (until now), with serials or commits. */
async function pointsIn(past: ProjectHistory, range: string): Promise<[from: number, to: number]> {
  const [from = "", to, more] = range.split("..");
  if (from === "" || to === undefined || more !== undefined)
    throw new UsageError(
      "usage",
      `"${range}" is not a range: write FROM..TO, with serials or commits, e.g. 12..15.`,
    );
  return [await findSerial(past, from), to === "" ? past.state.serial : await findSerial(past, to)];
}
