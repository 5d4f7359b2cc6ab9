import type { PlanDocument, ShownChange } from "../documents/index.js";
import { commands } from "./commands.js";
import { type FieldMarkdownOptions, type FileUrl, fieldMarkdown } from "./field-markdown.js";
import { policiesMarkdown } from "./finding-markdown.js";
import { markdownLegend } from "./legend.js";
import {
  type Cell,
  code,
  codeCell,
  details,
  fitting,
  type Html,
  htm,
  htmlCode,
  join,
  link,
  type Markdown,
  md,
  phrase,
  sentence,
  sizeInBytes,
  tableMarkdown,
} from "./markdown.js";
import { count, grouped, isOfCheckout, planCounts, reasonOf, requestCount } from "./phrases.js";
import { undeclaredMarkdown } from "./undeclared.js";

/** Where a text goes. */
export interface MarkdownOptions {
  /**
   * UTF-8 bytes; at least 2,000. Default 60,000: hosts accept about 65,000 characters, and callers may add
   * some.
   */
  readonly limit?: number;
}

/** What a comment on a code host can say besides. */
export interface PlanMarkdownOptions extends MarkdownOptions {
  /** The page of a line of a project's file. */
  readonly fileUrl?: FileUrl | undefined;
  /** Where the whole plan is, if it had to be shortened. */
  readonly wholeUrl?: string | undefined;
  /** Shows every difference of a text, however many there are. */
  readonly isWhole?: boolean | undefined;
}

/** Up to this many sections are shown open. */
const mostOpen = 3;

/**
 * A plan for a pull request: the counts, a table of the changes, and a section for each; what somebody edited
 * in the account comes after what the files change. A plan that is too long loses its longest diffs first,
 * then sections, then table rows, and says so.
 */
export function renderPlanMarkdown(plan: PlanDocument, options: PlanMarkdownOptions = {}): string {
  const { limit = 60_000, wholeUrl, ...shown } = options;
  const field = { ...shown, wholeUrl };
  const changes = grouped(plan.changes);
  const parts = changes.filter(hasDetails).flatMap(byCause);
  const isOpen = parts.length <= mostOpen;
  const detailed = parts.map((part) => ({
    isTheirs: part.isTheirs,
    full: section(part.change, { ...field, withDiff: true }, isOpen),
    short: section(part.change, { ...field, withDiff: false }, isOpen),
  }));
  const shortestFirst = detailed.toSorted((a, b) => a.full.length - b.full.length);
  const withSections = fitting(detailed.length, limit, (amount) => {
    const kept = new Set(shortestFirst.slice(0, amount));
    const left = shortestFirst.slice(amount).filter(({ full, short }) => full !== short).length;
    const of = (isTheirs: boolean) =>
      detailed
        .filter((section) => section.isTheirs === isTheirs)
        .map((section) => (kept.has(section) ? section.full : section.short));
    const theirs = of(true);
    const edits = theirs.length > 0 ? [editedElsewhere, ...theirs] : [];
    const note = left > 0 ? shortened(count(left, "longer difference"), wholeUrl) : md``;
    return page(plan, [table(changes, 0), ...of(false), ...edits, note, undeclaredMarkdown(plan, true)]);
  });
  if (sizeInBytes(withSections) <= limit) return withSections;
  return fitting(changes.length, limit, (amount) =>
    page(plan, [
      table(changes.slice(0, amount), changes.length - amount),
      shortened("details", wholeUrl),
      undeclaredMarkdown(plan, false),
    ]),
  );
}

const editedElsewhere = md`#### Changed in the account since the last apply

Somebody edited or removed this elsewhere, for example in the dashboard.`;

/** What the files change, and what somebody edited elsewhere: an object can have both. */
function byCause(change: ShownChange): { readonly isTheirs: boolean; readonly change: ShownChange }[] {
  const theirs = change.fields.filter(({ cause }) => cause !== "configured");
  const isTheirs = change.overwrites || theirs.length > 0 || change.reason === "vanished";
  const ours = change.fields.filter(({ cause }) => cause === "configured");
  if (!isTheirs) return [{ isTheirs, change }];
  if (theirs.length === 0 || ours.length === 0) return [{ isTheirs, change }];
  const waits = "Not applied before somebody decides about the edit of this object, which is shown below.";
  return [
    { isTheirs: false, change: { ...change, fields: ours, overwrites: false, notes: [waits] } },
    { isTheirs, change: { ...change, fields: theirs } },
  ];
}

function shortened(what: string, wholeUrl: string | undefined): Markdown {
  const whole = link(md`The summary of the run`, wholeUrl);
  const where = wholeUrl === undefined ? md`Run ${code(commands.plan)} to see` : md`${whole} shows`;
  return md`_Too long for a comment: ${phrase<Markdown>(what)} left out. ${where} everything._`;
}

function page(plan: PlanDocument, blocks: readonly Markdown[]): Markdown {
  const { service, environment, targets } = plan;
  const where = [md`Service ${code(service.slice(0, 300))}`];
  if (environment !== undefined) where.push(md`environment ${code(environment.slice(0, 100))}`);
  if (targets !== undefined)
    where.push(md`limited to ${code(targets.join(", ").slice(0, 300) || "nothing")}`);
  if (plan.compared_with) where.push(md`**not compared with the account: no API key**`);
  where.push(phrase(requestCount(plan.requests)));
  const [first, last] = [noticeList(plan, true), noticeList(plan, false)];
  const title = md`### ${phrase<Markdown>(plan.exit === "nothing" ? "" : "Plan: ")}${phrase<Markdown>(planCounts(plan))}`;
  return md`${join([title, join(where, " · "), first, policiesMarkdown(plan.policies ?? []), ...blocks, last], "\n\n")}
`;
}

function noticeList({ notices }: PlanDocument, comesFirst: boolean): Markdown {
  const shown = notices.filter((notice) => isOfCheckout(notice) === comesFirst).slice(0, 10);
  return join(
    shown.map(({ message }) => md`- ${sentence(message.slice(0, 500))}`),
    "\n",
  );
}

function table(changes: readonly ShownChange[], left: number): Markdown {
  if (changes.length === 0 && left === 0) return md``;
  const rows = changes.map((change): Cell[] => [
    phrase(change.action),
    codeCell(change.address),
    codeCell(change.label),
    whatChanges(change),
  ]);
  const rest = left > 0 ? md`_${phrase<Markdown>(count(left, "more change"))} not shown here._` : md``;
  return join([tableMarkdown(["Action", "Object", "Name", "What"], rows), rest], "\n\n");
}

function whatChanges(change: ShownChange): Cell {
  const reason = reasonOf(change);
  const fields = join(
    change.fields.map(({ field }) => codeCell(field)),
    ", ",
  );
  const why = phrase<Cell>(reason === undefined ? "" : change.overwrites ? `**${reason}**` : reason);
  return join([fields, why], "; ");
}

function hasDetails({ fields, notes, candidates, overwrites }: ShownChange): boolean {
  return fields.length + notes.length + (candidates?.length ?? 0) > 0 || overwrites;
}

function section(change: ShownChange, options: FieldMarkdownOptions, isOpen: boolean): Markdown {
  const { action, address, label, fields, declared_at: at } = change;
  const summary = htm`${phrase<Html>(action)} ${htmlCode(address)} ${htmlCode(label)}`;
  const isPlaced = fields.some((field) => field.declared_at ?? field.place);
  const where =
    at && !isPlaced
      ? md`Declared in ${code(at.file)}, line ${link(md`${at.line}`, options.fileUrl?.(at.file, at.line))}.`
      : md``;
  const blocks = [...remarks(change), where, ...fields.map((field) => fieldMarkdown(field, options))];
  return details(summary, join(blocks, "\n\n"), isOpen);
}

function remarks({ address, action, overwrites, fields, candidates = [], notes }: ShownChange): Markdown[] {
  const blocks: Markdown[] = [];
  if (overwrites && action === "delete") {
    blocks.push(
      md`**Not deleted unless you decide:** keep it by declaring it again, or delete it anyway with ${code(commands.overwrite)}.`,
    );
  } else if (overwrites) {
    blocks.push(
      md`**Not applied unless you decide:** ${phrase<Markdown>(markdownLegend(fields))} Keep the edit with ${code(commands.pull(address))}, or overwrite it with ${code(commands.overwrite)}.`,
    );
  }
  const choices = candidates.map(({ id, label, created_at }) => {
    const created = created_at === undefined ? md`` : md`, created ${code(created_at)}`;
    return md`- ${code(id)} ${code(label)}${created}: ${code(commands.adopt(address, id))}`;
  });
  if (action === "ambiguous") choices.push(md`- create another: ${code(commands.createAnyway(address))}`);
  blocks.push(
    join(choices, "\n"),
    join(
      notes.map((note) => md`- ${sentence(note)}`),
      "\n",
    ),
  );
  return blocks;
}
