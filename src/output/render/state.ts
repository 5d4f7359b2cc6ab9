import {
  isForgotten,
  type StateListDocument,
  type StateMigrationDocument,
  type StateShowDocument,
} from "../documents/index.js";
import {
  type Block,
  type Fact,
  facts,
  gap,
  lines,
  name,
  ours,
  paragraph,
  sentence,
  words,
} from "./blocks.js";
import { count } from "./phrases.js";
import { describeSize, entryInLine, toEntries, valueInLine } from "./value-text.js";

/** The objects of a state. */
export function stateListBlocks(state: StateListDocument): Block[] {
  const { objects, pending, service, serial, lineage } = state;
  return [
    {
      is: "table",
      columns: [
        { title: "address", is: "foreign" },
        { title: "id", is: "foreign" },
        { title: "name", is: "foreign" },
      ],
      rows: objects.map(({ address, id, label }) => [address, id, label]),
    },
    gap,
    ...objects.flatMap(supersededObjects),
    ...pending.map(({ address, action, label, at }) => {
      const what = `${action} of ${address}${label === "" ? "" : ` "${label}"`}`;
      return paragraph(
        [ours("unsettled", "warning"), sentence(`  ${what} at ${at}: the next plan looks for it.`)],
        2,
      );
    }),
    gap,
    paragraph([
      sentence(
        `${count(objects.length, "object")} of ${service}; state serial ${serial}, lineage ${lineage}.`,
        "strong",
      ),
    ]),
  ];
}

/** Everything recorded of one object. */
export function stateShowBlocks(object: StateShowDocument): Block[] {
  const { address, id, in_sync_at: at, applied, write_only: writeOnly = [], written_at: written } = object;
  const values = Object.entries(applied).flatMap(([field, value]): Fact[] => {
    // The name stands before the first entry of a list only.
    if (typeof value === "object" && !isForgotten(value))
      return toEntries(value).map((entry, nth): Fact => [nth === 0 ? field : "", entryInLine(entry)]);
    const isLong = typeof value === "string" && value.length > 400;
    return [[field, isLong ? describeSize(value) : valueInLine(value)]];
  });
  const known: Fact[] = [
    ["id", id],
    ...(at === undefined ? [] : [["in sync at", at] as const]),
    ...values,
    ...writeOnly.flatMap(({ field, source = "not declared in any file", version }): Fact[] => [
      [field, source],
      ...(version === undefined ? [] : [["version", version] as const]),
    ]),
    ...(writeOnly.length === 0 ? [] : [["written", written ?? "not recorded"] as const]),
  ];
  return [lines([name(address, "strong")]), facts(known), ...supersededObjects(object)];
}

/** Superseded objects are listed until the user removes them by other means: the service has no delete. */
function supersededObjects({
  address,
  superseded,
}: Pick<StateShowDocument, "address" | "superseded">): Block[] {
  return superseded.map(({ id, label, since, age_days: days }) => {
    const age = days === undefined ? "" : ` (${count(days, "day")} ago)`;
    const what = `  ${id}  "${label}", by ${address} on ${since}${age}`;
    return paragraph([ours("superseded", "warning"), sentence(what)], 2);
  });
}

/** What was moved to another store, and the line to write. */
export function stateMigrationBlocks(migration: StateMigrationDocument): Block[] {
  const { from, to, environment, unchanged, serial, objects, pending, records } = migration;
  const done = unchanged ? "Everything was in its new place already" : "Copied the state to its new place";
  const setting = environment === undefined ? ["state"] : ["environments", environment, "state"];
  const open = pending === 0 ? [] : [count(pending, "unsettled write")];
  const content = [`serial ${serial}`, count(objects, "object"), ...open, count(records, "record")];
  const written = /^[\w./+:?=&%@~-]+$/.test(to) ? to : JSON.stringify(to);
  return [
    paragraph([ours(`${done}, and compared what is there: ${content.join(", ")}.`, "strong")]),
    gap,
    paragraph([ours("Now write this in the manifest, so that every run uses it, and commit it:")]),
    gap,
    lines(
      ...setting.map((key, depth) => {
        const value = depth === setting.length - 1 ? ` ${written}` : "";
        return [name(`${"  ".repeat(depth + 2)}${key}:${value}`, "added")];
      }),
    ),
    gap,
    paragraph(
      words`The old state stays in ${name(from)}, marked as moved: a run with the old setting is refused, and told where the state is.`,
    ),
  ];
}
