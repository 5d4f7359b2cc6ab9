import {
  type HistoryChange,
  type HistoryDiffDocument,
  type HistoryField,
  type HistoryItemDocument,
  type HistoryRecordDocument,
  isForgotten,
  type ObjectDocument,
  type ObjectField,
} from "../documents/index.js";
import {
  type Block,
  gap,
  heading,
  type Item,
  inMarkdown,
  inText,
  joined,
  lines,
  list,
  name,
  ours,
  paragraph,
  sentence,
  type Words,
  words,
} from "./blocks.js";
import { blocksMarkdown } from "./blocks-markdown.js";
import { blocksText } from "./blocks-text.js";
import {
  asShownField,
  changeRemarks,
  commitWords,
  effectWords,
  fieldWords,
  formatMoment,
  gapWords,
  pointWords,
  recordRemarks,
} from "./history-words.js";
import type { Style, TextOptions } from "./span.js";
import { entryInLine, valueInLine } from "./value-text.js";

/** How much of a record is shown. */
export interface HistoryOptions {
  /** Show the differences themselves; otherwise only which fields differ. */
  readonly diff: boolean;
}

/** One part of a history, as Markdown or for a terminal. */
export function renderHistoryItem(
  item: HistoryItemDocument,
  format: string,
  { diff, ...options }: TextOptions & HistoryOptions,
): string {
  const blocks = itemBlocks(item, diff);
  if (format !== "markdown") return blocksText(blocks, options);
  return `${blocksMarkdown(blocks, { limit: Number.POSITIVE_INFINITY })}
`;
}

/** The difference of an object at two moments. */
export function historyDiffBlocks({ address, from, to, fields }: HistoryDiffDocument): Block[] {
  const line = words`${name(address, "strong")} from ${sentence(pointWords(from))} to ${sentence(pointWords(to))}`;
  return [
    heading(...line),
    ...(fields.length === 0 ? [paragraph([ours("No difference.")])] : fields.flatMap(differenceBlocks)),
  ];
}

function itemBlocks(item: HistoryItemDocument, diff: boolean): Block[] {
  if (!("gap" in item)) return recordBlocks(item, diff);
  const missing = sentence(gapWords(item), "warning");
  return [
    inText({ is: "indented", blocks: [paragraph([missing], 2)] }),
    inMarkdown(paragraph(words`_${missing}_`)),
    gap,
  ];
}

function recordBlocks(record: HistoryRecordDocument, diff: boolean): Block[] {
  const { serial, at, command, by, commit, environment, pull_request: pull, changes } = record;
  const moment = sentence(formatMoment(at));
  const host = by.host === undefined ? undefined : words`on ${name(by.host)}`;
  const place = by.ci === undefined ? host : [name(by.ci)];
  const who = [by.user === undefined ? undefined : words`by ${name(by.user)}`, place];
  const where = [
    commit && words`${name(commitWords(commit))}, ${name(commit.file)}`,
    environment === undefined ? undefined : words`environment ${name(environment)}`,
  ];
  const approvers = pull?.approvers?.map((login): Words => [name(login)]) ?? [];
  const reviewed = pull && [
    words`pull request ${name(`#${pull.number}`)}`,
    pull.author === undefined ? undefined : words`opened by ${name(pull.author)}`,
    approvers.length === 0 ? undefined : words`approved by ${joined(approvers, " and ")}`,
  ];
  const lines = [who, [by.run === undefined ? undefined : [name(by.run)]], where, reviewed ?? []]
    .map((line) => line.filter((part) => part !== undefined))
    .filter((line) => line.length > 0);
  const remarks = recordRemarks(record).map((remark): Words => [sentence(remark, "changed")]);
  const items = changes.map((change) => changeItem(change, diff));
  return [
    inText(heading(ours(`${serial}`.padEnd(4), "strong"), ours("  "), moment, ours("  "), name(command)), {
      is: "indented",
      blocks: [
        ...lines.map((line) => paragraph(dim(joined(line, ", ")), 2)),
        ...remarks.map((remark) => paragraph(remark, 2)),
        { is: "items", items, noun: "change", titles: [], width: 9, isLoose: true },
      ],
    }),
    inMarkdown(
      heading(ours(`Serial ${serial}, `), moment),
      paragraph(joined([[name(command)], ...lines.flat(), ...remarks], " · ")),
      ...(diff
        ? changes.flatMap((change) => [
            paragraph(changeWords(change)),
            ...change.fields.flatMap(differenceBlocks),
          ])
        : [list(changes.map((change) => joined([changeWords(change), ...toldFields(change)], " ")))]),
    ),
    gap,
  ];
}

function dim(line: Words): Words {
  return line.map((piece) => ({ ...piece, style: "dim" }));
}

const styles: Readonly<Record<HistoryChange["effect"], Style>> = {
  added: "added",
  changed: "changed",
  removed: "removed",
  none: "warning",
};

function changeItem(change: HistoryChange, diff: boolean): Item {
  const summary = diff || change.fields.length === 0 ? undefined : change.fields.map(fieldWords).join(", ");
  return {
    word: effectWords(change),
    style: styles[change.effect],
    name: name(change.address),
    beside: [
      ...changeRemarks(change).map((remark) => sentence(remark, "warning")),
      summary === undefined ? undefined : sentence(summary, "dim"),
    ],
    cells: [],
    below: diff ? change.fields.flatMap(differenceBlocks) : [],
  };
}

function changeWords(change: HistoryChange): Words {
  const what = words`**${sentence(effectWords(change))}** ${name(change.address)}`;
  return joined([what, ...changeRemarks(change).map((remark) => [sentence(remark)])], " ");
}

function toldFields({ fields }: HistoryChange): Words[] {
  return fields.map((field) => [name(fieldWords(field))]);
}

function differenceBlocks(field: HistoryField): Block[] {
  const shown = asShownField(field);
  const { missing } = field;
  return [
    shown ? { is: "difference", field: shown } : paragraph([name(fieldWords(field))], 2),
    ...(missing === undefined
      ? []
      : [paragraph([ours("text not shown: ", "warning"), sentence(missing, "warning")], 2)]),
  ];
}

/** An object as it was applied, with whole texts. */
export function objectBlocks({ address, id, at, fields }: ObjectDocument): Block[] {
  return [
    heading(name(address, "strong"), name(`  ${id}`, "dim"), sentence(`  as applied at ${pointWords(at)}`)),
    ...fields.flatMap(fieldBlocks),
  ];
}

function fieldBlocks({ field, type, value, missing }: ObjectField): Block[] {
  const title = lines([name(`  ${field}`, "dim")]);
  const below = (text: string) => (text === "" ? lines([]) : paragraph([name(text)], 0, 2));
  if (missing !== undefined || (typeof value === "object" && isForgotten(value))) {
    const why =
      missing === undefined ? [] : [paragraph([sentence(`text not shown: ${missing}`, "warning")], 0, 2)];
    return [title, below(valueInLine(value)), ...why];
  }
  if (Array.isArray(value))
    return [title, ...value.map((entry) => paragraph([name(entryInLine(entry))], 0, 2))];
  if (type !== "prose") return [paragraph([name(field, "dim"), name("  "), name(valueInLine(value))], 2)];
  return [title, ...String(value).split(/\r?\n/).map(below)];
}
