import {
  type BlameDocument,
  type DiffDocument,
  describeHold,
  describeProject,
  type HistoryChange,
  type HistoryField,
  type HistoryGapDocument,
  type HistoryItemDocument,
  type HistoryRecordDocument,
  isForgotten,
  type ObjectDocument,
  type RecordedField,
  type ShownCommit,
  type ShownField,
  type ShownPoint,
} from "../documents/index.js";
import {
  type Block,
  bulletList,
  type Fact,
  facts,
  gap,
  heading,
  type Inline,
  inline,
  joinInline,
  lines,
  name,
  ownText,
  paragraph,
  sentence,
} from "./blocks.js";
import { renderBlocksMarkdown } from "./blocks-markdown.js";
import { renderBlocksText } from "./blocks-text.js";
import { formatCount } from "./phrases.js";
import type { Style, TextOptions } from "./span.js";
import {
  formatEntryInLine,
  formatSizeChange,
  formatValueInLine,
  hasEntries,
  isShort,
  toEntries,
} from "./value-text.js";

/** Renders a record or gap as Markdown or terminal text. Without `diff`, names only the changed fields. */
export function renderHistoryItem(
  item: HistoryItemDocument,
  format: string,
  { diff, ...options }: TextOptions & { readonly diff: boolean },
): string {
  const blocks = renderItemBlocks(item, diff);
  if (format !== "markdown") return renderBlocksText(blocks, options);
  return `${renderBlocksMarkdown(blocks, { limit: Number.POSITIVE_INFINITY })}\n`;
}

/** Describes the differences between two sides. */
export function renderDiffBlocks({ from, to, objects }: DiffDocument): Block[] {
  return [
    ...objects.flatMap(({ address, only_in: only, fields, notes = [] }) => [
      heading(name(address, "strong"), ...(only === undefined ? [] : inline` only in ${name(only)}`)),
      ...fields.flatMap(renderDifferenceBlocks),
      ...notes.map((note) => paragraph([sentence(note, "warning")], 2)),
      gap,
    ]),
    paragraph(
      inline`${name(from)} and ${name(to)} differ in ${ownText(formatCount(objects.length, "object"))}.`,
    ),
  ];
}

function renderItemBlocks(item: HistoryItemDocument, diff: boolean): Block[] {
  if (!("gap" in item)) return renderRecordBlocks(item, diff);
  return [paragraph([sentence(describeGap(item), "warning")], 2), gap];
}

function renderRecordBlocks(record: HistoryRecordDocument, diff: boolean): Block[] {
  const { serial, at, command, by, commit, environment, moved } = record;
  const pulls = (record.pull_requests ?? []).toSorted((a, b) => a.number - b.number);
  // Without this, a move would appear as a removal and an addition.
  const changes = moved ? [] : record.changes;
  const moment = sentence(formatMoment(at));
  const host = by.host === undefined ? undefined : inline`on ${name(by.host)}`;
  const machine = by.ci === undefined ? host : [name(by.ci)];
  const who = [by.user === undefined ? undefined : inline`by ${name(by.user)}`, machine];
  const where = [
    commit && inline`${name(describeCommit(commit))}, ${name(commit.file)}`,
    environment === undefined ? undefined : inline`environment ${name(environment)}`,
  ];
  const reviewed = pulls.map((pull) => {
    const approvers = pull.approvers?.map((login): Inline => [name(login)]) ?? [];
    return [
      inline`pull request ${name(`#${pull.number}`)}`,
      pull.author === undefined ? undefined : inline`opened by ${name(pull.author)}`,
      approvers.length === 0 ? undefined : inline`approved by ${joinInline(approvers, " and ")}`,
    ];
  });
  // Omits the pull request numbers if all changes came from the same pull request.
  const areNamed = pulls.length > 1 || changes.some((change) => !change.pull_requests);
  const describeChange = (change: HistoryChange) => describeChangeInLine(change, areNamed);
  const lines = [who, [by.run === undefined ? undefined : [name(by.run)]], where, ...reviewed]
    .map((line) => line.filter((part) => part !== undefined))
    .filter((line) => line.length > 0);
  const remarks = listRecordRemarks(record).map((remark): Inline => [sentence(remark, "changed")]);
  return [
    heading(ownText(`Serial ${serial}`, "strong"), ownText("  "), moment, ownText("  "), name(command)),
    {
      is: "indented",
      blocks: [
        ...lines.map((line) => paragraph(dimLine(joinInline(line, ", ")), 2)),
        ...remarks.map((remark) => paragraph(remark, 2)),
        ...(diff
          ? changes.flatMap((change) => [
              paragraph(describeChange(change), 2),
              ...change.fields.flatMap(renderDifferenceBlocks),
            ])
          : [
              bulletList(
                changes.map((change) =>
                  joinInline([describeChange(change), ...summarizeFields(change)], "  "),
                ),
              ),
            ]),
      ],
    },
    gap,
  ];
}

function summarizeFields({ fields }: HistoryChange): Inline[] {
  return fields.length === 0 ? [] : [[name(fields.map(describeField).join(", "), "dim")]];
}

function dimLine(line: Inline): Inline {
  return line.map((piece) => ({ ...piece, style: "dim" }));
}

const styles: Readonly<Record<HistoryChange["effect"], Style>> = {
  added: "added",
  changed: "changed",
  removed: "removed",
  none: "warning",
};

function describeChangeInLine(change: HistoryChange, namesPulls: boolean): Inline {
  const what = inline`${sentence(describeEffect(change), styles[change.effect])}  ${name(change.address)}`;
  const { pull_requests: pulls } = change;
  const from: Inline[] = namesPulls && pulls ? [[ownText(`from ${formatNumbers(pulls)}`, "dim")]] : [];
  return joinInline(
    [what, ...from, ...listChangeRemarks(change).map((remark) => [sentence(remark, "warning")])],
    "  ",
  );
}

function renderDifferenceBlocks(field: HistoryField): Block[] {
  const shown = toShownField(field);
  const { missing } = field;
  return [
    shown ? { is: "difference", field: shown } : paragraph([name(describeField(field))], 2),
    ...(missing === undefined
      ? []
      : [paragraph([ownText("text not shown: ", "warning"), sentence(missing, "warning")], 2)]),
  ];
}

/** Describes a live text sentence by sentence, with the origin of each. */
export function renderBlameBlocks({ address, field, sentences }: BlameDocument): Block[] {
  const rows = sentences.map(({ text, by, serial, at, commit, pull_requests: pulls = [], missing }): Fact => {
    const origin = by === "apply" ? missing && "or earlier" : by;
    const from = formatNumbers(pulls.map(({ number }) => number));
    const parts = [serial, origin, from, commit?.slice(0, 10), at?.slice(0, 10)].filter(Boolean);
    return [parts.join(" "), text.replace(/\s+/g, " "), by === "apply" ? "dim" : "changed"];
  });
  const doubts = new Set(sentences.flatMap(({ missing }) => missing ?? []));
  const unknown = new Set(sentences.flatMap((one) => describeUnknownPulls(one) ?? []));
  return [
    heading(name(`${address}.${field}`, "strong")),
    facts(rows),
    ...Array.from(doubts, (doubt) => paragraph([sentence(`Uncertain: ${doubt}.`, "warning")])),
    ...Array.from(unknown, (line) => paragraph([sentence(line, "warning")])),
  ];
}

function describeUnknownPulls({ serial, possible_pull_requests: pulls }: BlameDocument["sentences"][number]) {
  if (!pulls) return undefined;
  const which = formatNumbers(pulls.map(({ number }) => number));
  const subject =
    pulls.length === 1 ? `whether pull request ${which}` : `which of the pull requests ${which}`;
  return `Cannot determine ${subject} introduced the change in serial ${serial}.`;
}

/** Formats numbers, such as "#7, #9". */
function formatNumbers(pulls: readonly number[]): string {
  return pulls
    .toSorted((a, b) => a - b)
    .map((number) => `#${number}`)
    .join(", ");
}

/** Describes an object as of one serial, with its texts in full. */
export function renderObjectBlocks({ address, id, at, fields }: ObjectDocument): Block[] {
  return [
    heading(
      name(address, "strong"),
      name(`  ${id}`, "dim"),
      sentence(`  as applied at ${describePoint(at)}`),
    ),
    ...fields.flatMap(renderFieldBlocks),
  ];
}

function renderFieldBlocks({ field, type, value, missing }: RecordedField): Block[] {
  const title = lines([name(`  ${field}`, "dim")]);
  const renderName = (text: string) => (text === "" ? lines([]) : paragraph([name(text)], 0, 2));
  if (missing !== undefined || (typeof value === "object" && isForgotten(value))) {
    const why =
      missing === undefined ? [] : [paragraph([sentence(`text not shown: ${missing}`, "warning")], 0, 2)];
    return [title, renderName(formatValueInLine(value)), ...why];
  }
  if (hasEntries({ type }))
    return [title, ...toEntries(value).map((entry) => paragraph([name(formatEntryInLine(entry))], 0, 2))];
  if (type !== "prose")
    return [paragraph([name(field, "dim"), name("  "), name(formatValueInLine(value))], 2)];
  return [title, ...String(value).split(/\r?\n/).map(renderName)];
}

/** Formats a time, such as "2026-01-02 03:04 UTC". Returns other strings unchanged. */
function formatMoment(at: string): string {
  const [, day, minute] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?Z$/.exec(at) ?? [];
  return day === undefined ? at : `${day} ${minute} UTC`;
}

/** Describes a commit, such as "commit 0123456789, with uncommitted changes". */
function describeCommit({ id, modified }: ShownCommit): string {
  return `commit ${id.slice(0, 10)}${modified ? ", with uncommitted changes" : ""}`;
}

/** Describes a point, such as "serial 12 (2026-01-02 03:04 UTC, commit 0123456789)". */
function describePoint({ serial, at, commit }: ShownPoint): string {
  const facts = [
    ...(at === undefined ? [] : [formatMoment(at)]),
    ...(commit ? [describeCommit(commit)] : []),
  ];
  return `serial ${serial}${facts.length > 0 ? ` (${facts.join(", ")})` : ""}`;
}

/** Returns remarks on a record, as clauses. */
function listRecordRemarks({
  recovered,
  restored,
  moved,
  project,
  service,
  earlier_state,
  changes,
  held,
  released = [],
}: HistoryRecordDocument): string[] {
  const possible = [...new Set(changes.flatMap((change) => change.possible_pull_requests ?? []))];
  const joinAddresses = (addresses: readonly string[] = ["all objects"]) => addresses.join(", ");
  return [
    ...(earlier_state ? ["from an earlier state, which was replaced"] : []),
    ...(possible.length > 0 ? [`unclear which changes came from ${formatNumbers(possible)}`] : []),
    ...(recovered ? ["changes made by an interrupted run"] : []),
    ...(restored ? [`rollback to serial ${restored.serial}`] : []),
    ...(moved ? [`${moved.from} is now ${moved.to}`] : []),
    ...(project
      ? [`the state belongs to ${describeProject(project.to, project.from)}${describeProjectMove(project)}`]
      : []),
    ...(service ? [`the state belongs to ${service.to}, previously to ${service.from}`] : []),
    ...(held ? [`${joinAddresses(held.addresses)} on hold ${describeHold(held)}`] : []),
    ...released.map((hold) => `no longer on hold: ${joinAddresses(hold.addresses)} (${hold.reason})`),
  ];
}

function describeProjectMove({ from, to }: NonNullable<HistoryRecordDocument["project"]>): string {
  return from ? `, previously to ${describeProject(from, to)}` : "";
}

/** Returns the effect on an object, such as "changed" or "failed". */
function describeEffect({ effect, action, status }: HistoryChange): string {
  const removal = { delete: "deleted", forget: "forgotten" }[action ?? ""];
  if (removal !== undefined && (effect === "removed" || status === "applied")) return removal;
  return effect === "none" ? (status ?? "") : effect;
}

/** Returns facts about a change that its fields do not show, such as the action that failed. */
function listChangeRemarks({
  action,
  status,
  label,
  problem,
  overwritten,
  protect,
  on_removal,
}: HistoryChange): string[] {
  const code = problem === undefined ? "" : ` [${problem}]`;
  return [
    ...(label === undefined ? [] : [JSON.stringify(label)]),
    ...(status === undefined || status === "applied"
      ? []
      : [`${status === "unknown" ? "response lost: " : ""}to ${action ?? "change"}${code}`]),
    ...(overwritten ? ["overwrote an edit made elsewhere"] : []),
    ...(protect === undefined ? [] : [protect ? "now protected" : "no longer protected"]),
    ...(on_removal === undefined ? [] : [`on_removal: ${on_removal}`]),
  ];
}

/** Summarizes a difference, such as "prompt (1,203 → 1,250 characters)". */
function describeField({ field, type, before, after }: HistoryField): string {
  if (type === "write-only") return `${field} (new value)`;
  if (hasEntries({ type })) return field;
  const isQuoted = [before, after].every((value) => typeof value !== "object" && isShort(`${value ?? ""}`));
  if (before !== undefined && after === "") return `${field} cleared`;
  if (!isQuoted) return `${field} (${formatSizeChange({ before, after }) ?? "no longer managed"})`;
  const shown = [before, after].flatMap((value) => (value === undefined ? [] : [formatValueInLine(value)]));
  return `${field} ${shown.join(" → ")}`;
}

function describeGap({ gap, from, to }: HistoryGapDocument): string {
  const which =
    from === undefined
      ? "A record"
      : from === to
        ? `The record of serial ${from}`
        : `The records of serials ${from} to ${to}`;
  if (gap === "newer")
    return `${which} was written by a newer version of avatarops. Upgrade avatarops to read it.`;
  if (gap === "damaged") return `${which} is damaged and was left out.`;
  return from === to ? `${which} is missing.` : `${which} are missing.`;
}

/** Converts a history field to a plan field, so that its diff can be shown. Returns undefined if the new text is unknown. */
function toShownField({ field, type, before, after }: HistoryField): ShownField | undefined {
  if (after !== undefined && isForgotten(after)) return undefined;
  return { field, type, cause: "configured", before, after };
}
