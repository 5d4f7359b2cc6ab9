import type {
  HistoryChange,
  HistoryDiffDocument,
  HistoryField,
  HistoryItemDocument,
  HistoryRecordDocument,
} from "../documents/index.js";
import { fieldMarkdown } from "./field-markdown.js";
import type { HistoryOptions } from "./history-text.js";
import {
  asShownField,
  changeRemarks,
  commitWords,
  effectWords,
  fieldWords,
  gapWords,
  momentOf,
  pointWords,
  remarksOf,
} from "./history-words.js";
import { code, join, type Markdown, md, phrase, sentence } from "./markdown.js";

/** One part of a history as Markdown. */
export function renderHistoryItemMarkdown(item: HistoryItemDocument, { diff }: HistoryOptions): string {
  if ("gap" in item) return `${md`_${sentence(gapWords(item))}_`}\n\n`;
  const changes = item.changes.map((change) => changeMarkdown(change, diff));
  return `${join([headMarkdown(item), join(changes, diff ? "\n\n" : "\n")], "\n\n")}\n\n`;
}

function headMarkdown(record: HistoryRecordDocument): Markdown {
  const { serial, at, command, by, commit, environment } = record;
  const place = by.ci ?? by.host;
  const facts = [
    code(command),
    ...(by.user === undefined ? [] : [md`by ${code(by.user)}`]),
    ...(place === undefined ? [] : [md`on ${code(place)}`]),
    ...(by.run === undefined ? [] : [code(by.run)]),
    ...(commit ? [md`${code(commitWords(commit))} ${code(commit.file)}`] : []),
    ...(environment === undefined ? [] : [md`environment ${code(environment)}`]),
    ...remarksOf(record).map(sentence),
  ];
  return join(
    [md`### Serial ${phrase<Markdown>(`${serial}`)}, ${sentence(momentOf(at))}`, join(facts, " · ")],
    "\n\n",
  );
}

function changeMarkdown(change: HistoryChange, diff: boolean): Markdown {
  const { address, fields } = change;
  const parts = [
    md`**${sentence(effectWords(change))}** ${code(address)}`,
    ...changeRemarks(change).map(sentence),
    ...(diff ? [] : fields.map((field) => code(fieldWords(field)))),
  ];
  const line = join(parts, " ");
  return diff ? join([line, ...fields.map(differenceMarkdown)], "\n\n") : md`- ${line}`;
}

/** The difference of an object at two moments, as Markdown. */
export function renderHistoryDiffMarkdown({ address, from, to, fields }: HistoryDiffDocument): string {
  const title = md`### ${code(address)} from ${sentence(pointWords(from))} to ${sentence(pointWords(to))}`;
  const none = fields.length === 0 ? [phrase<Markdown>("No difference.")] : [];
  return `${join([title, ...none, ...fields.map(differenceMarkdown)], "\n\n")}\n`;
}

function differenceMarkdown(field: HistoryField): Markdown {
  const shown = asShownField(field);
  const missing = field.missing === undefined ? md`` : md`text not shown: ${sentence(field.missing)}`;
  return join([shown ? fieldMarkdown(shown, { withDiff: true }) : code(fieldWords(field)), missing], "\n\n");
}
