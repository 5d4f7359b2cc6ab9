import type { DriftDocument, ProposalFacts, ShownDrift } from "../documents/index.js";
import { commands } from "./commands.js";
import { asChange, driftAdvice, driftCounts, driftRemarks, driftTitle } from "./drift-phrases.js";
import { fieldMarkdown } from "./field-markdown.js";
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
  type Markdown,
  md,
  phrase,
  sentence,
  sizeInBytes,
  tableMarkdown,
} from "./markdown.js";
import { count, requestCount } from "./phrases.js";
import type { MarkdownOptions } from "./plan-markdown.js";
import { undeclaredMarkdown } from "./undeclared.js";

/**
 * Drift for a pull request, an issue or a summary: the counts, a table of the objects, and a section for
 * each. What is too long loses its longest differences first, then sections, then table rows, and says so.
 */
export function renderDriftMarkdown(drift: DriftDocument, { limit = 60_000 }: MarkdownOptions = {}): string {
  const { objects } = drift;
  const detailed = objects.map((object) => ({ full: section(object, true), short: section(object, false) }));
  const shortestFirst = detailed.toSorted((a, b) => a.full.length - b.full.length);
  const withSections = fitting(detailed.length, limit, (amount) => {
    const kept = new Set(shortestFirst.slice(0, amount));
    const left = detailed.length - amount;
    const sections = detailed.map((one) => (kept.has(one) ? one.full : one.short));
    const note = left > 0 ? shortened(count(left, "longer difference")) : md``;
    return page(drift, [table(objects, 0), ...sections, note], true);
  });
  if (sizeInBytes(withSections) <= limit) return withSections;
  return fitting(objects.length, limit, (amount) =>
    page(drift, [table(objects.slice(0, amount), objects.length - amount), shortened("details")], false),
  );
}

function shortened(what: string): Markdown {
  return md`_Too long for a comment: ${phrase<Markdown>(what)} left out. Run ${code(commands.drift)} to see everything._`;
}

function page(drift: DriftDocument, blocks: readonly Markdown[], isWhole: boolean): Markdown {
  const { service, environment, targets } = drift;
  const where = [md`Service ${code(service.slice(0, 300))}`];
  if (environment !== undefined) where.push(md`environment ${code(environment.slice(0, 100))}`);
  if (targets !== undefined) where.push(md`limited to ${code(targets.join(", ").slice(0, 300))}`);
  where.push(phrase(requestCount(drift.requests)));
  const title = md`### ${phrase<Markdown>(driftTitle(drift))}`;
  const unreadable = drift.unreadable
    .slice(0, 20)
    .map(
      ({ address, reason }) => md`- ${code(address)} could not be read: ${sentence(reason.slice(0, 300))}`,
    );
  const notes = drift.notes.slice(0, 10).map((note) => md`- ${sentence(note.slice(0, 500))}`);
  const advice = driftAdvice(drift).map((text) => sentence(text));
  const parts = [
    title,
    ...proposalBlocks(drift.pull_request),
    join(where, " · "),
    phrase<Markdown>(`${driftCounts(drift)}.`),
    ...blocks,
    undeclaredMarkdown(drift, isWhole),
    join([...unreadable, ...notes], "\n"),
    ...advice,
  ];
  return withoutClosing(md`${join(parts, "\n\n")}
`);
}

/** The most lines of a list. */
const mostListed = 30;

/** What a pull request changes, and what it leaves out. */
function proposalBlocks(proposal: ProposalFacts | undefined): Markdown[] {
  if (!proposal) return [];
  const { written, refused, notes } = proposal;
  const listed = (lines: readonly Markdown[]) => {
    const left = lines.length - mostListed;
    const more = left > 0 ? [md`- ${phrase<Markdown>(count(left, "more field"))}`] : [];
    return join([...lines.slice(0, mostListed), ...more], "\n");
  };
  const brings = written.map(
    ({ address, field, file }) => md`- ${code(`${address}.${field}`)} in ${code(file)}`,
  );
  const leaves = refused.map(({ address, field, reason }) => {
    const what = field === undefined ? address : `${address}.${field}`;
    return md`- ${code(what)}: ${sentence(reason.slice(0, 500))}`;
  });
  return [
    md`These objects were edited elsewhere since the last apply. **Merging this keeps the edits:** the files get the texts that are live, and there is nothing to apply. To undo an edit, close this and run ${code(commands.overwrite)}.`,
    brings.length > 0 ? join([phrase<Markdown>("Brought back:"), listed(brings)], "\n\n") : md``,
    leaves.length > 0 ? join([phrase<Markdown>("Left out:"), listed(leaves)], "\n\n") : md``,
    join(
      notes.map((note) => md`_${sentence(note.slice(0, 1_000))}_`),
      "\n\n",
    ),
  ];
}

/*
 * In the description of a pull request, "fixes #12" closes an issue when it is merged: GitLab finds it in code, too.
 * So the space after such a word is written out wherever a reference follows.
 */
const closing =
  /\b((?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?):?)[ \t]+(?=(?:issues? +)?(?:[\w./-]{0,100}[#!]\d|https?:|[A-Z][A-Z\d_]*-\d|GH-\d))/gi;

function withoutClosing(text: string): Markdown {
  return text.replace(closing, "$1‹U+0020›") as Markdown;
}

function table(objects: readonly ShownDrift[], left: number): Markdown {
  if (objects.length === 0 && left === 0) return md``;
  const rows = objects.map(({ change, address, label, fields, updated_at }): Cell[] => [
    phrase(change),
    codeCell(address),
    codeCell(label),
    join(
      fields.map(({ field }) => codeCell(field)),
      ", ",
    ),
    codeCell(updated_at ?? ""),
  ]);
  const rest = left > 0 ? md`_${phrase<Markdown>(count(left, "more object"))} not shown here._` : md``;
  return join([tableMarkdown(["Change", "Object", "Name", "Fields", "Edited"], rows), rest], "\n\n");
}

function section(object: ShownDrift, withDiffs: boolean): Markdown {
  const { change, address, label, fields } = object;
  const summary = htm`${phrase<Html>(change)} ${htmlCode(address)} ${htmlCode(label)}`;
  const remarks = driftRemarks(object).map((remark) => md`- ${sentence(remark)}`);
  const blocks = fields.map((field) => fieldMarkdown(asChange(field), { withDiff: withDiffs }));
  return details(summary, join([...blocks, join(remarks, "\n")], "\n\n"));
}
