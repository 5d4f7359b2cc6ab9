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
  inline,
  lines,
  name,
  ownText,
  paragraph,
  sentence,
} from "./blocks.js";
import { formatCount } from "./phrases.js";
import { describeSize, formatEntryInLine, formatValueInLine, toEntries } from "./value-text.js";

export function renderStateListBlocks(state: StateListDocument): Block[] {
  const { objects, pending, service, serial, lineage } = state;
  return [
    {
      is: "table",
      columns: [
        { title: "address", is: "untrusted" },
        { title: "id", is: "untrusted" },
        { title: "name", is: "untrusted" },
      ],
      rows: objects.map(({ address, id, label }) => [address, id, label]),
    },
    gap,
    ...objects.flatMap(renderSuperseded),
    ...pending.map(({ address, action, label, at }) => {
      const what = `${action} of ${address}${label === "" ? "" : ` "${label}"`}`;
      return paragraph(
        [
          ownText("unsettled", "warning"),
          sentence(`  ${what} at ${at}. The next plan looks for the object.`),
        ],
        2,
      );
    }),
    gap,
    paragraph([
      sentence(
        `${formatCount(objects.length, "object")} at ${service}; state serial ${serial}, lineage ${lineage}.`,
        "strong",
      ),
    ]),
  ];
}

/** Describes everything recorded about one object. */
export function renderStateShowBlocks(object: StateShowDocument): Block[] {
  const { address, id, in_sync_at: at, applied, write_only: writeOnly = [], written_at: written } = object;
  const values = Object.entries(applied).flatMap(([field, value]): Fact[] => {
    // Only the first entry of a list shows the field name.
    if (typeof value === "object" && !isForgotten(value))
      return toEntries(value).map((entry, nth): Fact => [nth === 0 ? field : "", formatEntryInLine(entry)]);
    const isLong = typeof value === "string" && value.length > 400;
    return [[field, isLong ? describeSize(value) : formatValueInLine(value)]];
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
  return [lines([name(address, "strong")]), facts(known), ...renderSuperseded(object)];
}

/** Describes superseded objects that are still in the account. */
function renderSuperseded({
  address,
  superseded,
}: Pick<StateShowDocument, "address" | "superseded">): Block[] {
  return superseded.map(({ id, label, since, age_days: days }) => {
    const age = days === undefined ? "" : ` (${formatCount(days, "day")} ago)`;
    const what = `  ${id}  "${label}", by ${address} on ${since}${age}`;
    return paragraph([ownText("superseded", "warning"), sentence(what)], 2);
  });
}

/** Describes the move to another store, and the line to write into the manifest. */
export function renderStateMigrationBlocks(migration: StateMigrationDocument): Block[] {
  const { from, to, environment, unchanged, serial, objects, pending, records } = migration;
  const done = unchanged ? "Found the complete state in the new store" : "Copied the state to the new store";
  const setting = environment === undefined ? ["state"] : ["environments", environment, "state"];
  const open = pending === 0 ? [] : [formatCount(pending, "unsettled write")];
  const content = [
    `serial ${serial}`,
    formatCount(objects, "object"),
    ...open,
    formatCount(records, "record"),
  ];
  const written = /^[\w./+:?=&%@~-]+$/.test(to) ? to : JSON.stringify(to);
  return [
    paragraph([ownText(`${done}, and verified it: ${content.join(", ")}.`, "strong")]),
    gap,
    paragraph([ownText("Now add this to the manifest and commit it, so that every run uses it:")]),
    gap,
    lines(
      ...setting.map((key, depth) => {
        const value = depth === setting.length - 1 ? ` ${written}` : "";
        return [name(`${"  ".repeat(depth + 2)}${key}:${value}`, "added")];
      }),
    ),
    gap,
    paragraph(
      inline`The old state stays in ${name(from)}, marked as moved. Runs with the old setting fail with an error that names the new store.`,
    ),
  ];
}
