import type { PlanDocument, ShownChange } from "../documents/index.js";
import { commands } from "./commands.js";
import { fieldMarkdown } from "./field-markdown.js";
import { markdownLegend } from "./legend.js";
import {
  code,
  details,
  fitting,
  type Html,
  htm,
  htmlCode,
  htmlTable,
  join,
  type Markdown,
  md,
  phrase,
  sentence,
  sizeInBytes,
} from "./markdown.js";
import { count, grouped, planCounts, reasonOf, requestCount } from "./phrases.js";
import { undeclaredMarkdown } from "./undeclared.js";

/** The size limit of a comment. */
export interface MarkdownOptions {
  /**
   * UTF-8 bytes; at least 2,000. Default 60,000: hosts accept about 65,000 characters, and callers may add
   * some.
   */
  readonly limit?: number;
}

/**
 * A plan for a pull request: the counts, a table of the changes, and a folded section for each. A plan that
 * is too long loses its longest diffs first, then sections, then table rows, and says so.
 */
export function renderPlanMarkdown(plan: PlanDocument, { limit = 60_000 }: MarkdownOptions = {}): string {
  const changes = grouped(plan.changes);
  const detailed = changes.filter(hasDetails).map((change) => ({
    full: section(change, true),
    short: section(change, false),
  }));
  const shortestFirst = detailed.toSorted((a, b) => a.full.length - b.full.length);
  const withSections = fitting(detailed.length, limit, (amount) => {
    const kept = new Set(shortestFirst.slice(0, amount));
    const left = shortestFirst.slice(amount).filter(({ full, short }) => full !== short).length;
    const sections = detailed.map((section) => (kept.has(section) ? section.full : section.short));
    const note = left > 0 ? shortened(count(left, "longer difference")) : md``;
    return page(plan, [table(changes, 0), ...sections, note, undeclaredMarkdown(plan, true)]);
  });
  if (sizeInBytes(withSections) <= limit) return withSections;
  return fitting(changes.length, limit, (amount) =>
    page(plan, [
      table(changes.slice(0, amount), changes.length - amount),
      shortened("details"),
      undeclaredMarkdown(plan, false),
    ]),
  );
}

function shortened(what: string): Markdown {
  return md`_Too long for a comment: ${phrase<Markdown>(what)} left out. Run ${code(commands.plan)} to see everything._`;
}

function page(plan: PlanDocument, blocks: readonly Markdown[]): Markdown {
  const { service, environment, targets } = plan;
  const where = [md`Service ${code(service.slice(0, 300))}`];
  if (environment !== undefined) where.push(md`environment ${code(environment.slice(0, 100))}`);
  if (targets !== undefined) where.push(md`limited to ${code(targets.join(", ").slice(0, 300))}`);
  if (plan.compared_with) where.push(md`**not compared with the account: no API key**`);
  where.push(phrase(requestCount(plan.requests)));
  const notices = plan.notices.slice(0, 10).map(({ message }) => md`- ${sentence(message.slice(0, 500))}`);
  const title = md`### ${phrase<Markdown>(plan.exit === "nothing" ? "" : "Plan: ")}${phrase<Markdown>(planCounts(plan))}`;
  return md`${join([title, join(where, " · "), ...blocks, join(notices, "\n")], "\n\n")}
`;
}

function table(changes: readonly ShownChange[], left: number): Markdown {
  if (changes.length === 0 && left === 0) return md``;
  const rows = changes.map((change): Html[] => [
    phrase(change.action),
    htmlCode(change.address),
    htmlCode(change.label),
    whatChanges(change),
  ]);
  const rest = left > 0 ? md`_${phrase<Markdown>(count(left, "more change"))} not shown here._` : md``;
  return join([htmlTable(["Action", "Object", "Name", "What"], rows), rest], "\n\n");
}

function whatChanges(change: ShownChange): Html {
  const reason = reasonOf(change);
  const fields = join(
    change.fields.map(({ field }) => htmlCode(field)),
    ", ",
  );
  const why = phrase<Html>(reason === undefined ? "" : change.overwrites ? `<b>${reason}</b>` : reason);
  return join([fields, why], "; ");
}

function hasDetails({ fields, notes, candidates, overwrites }: ShownChange): boolean {
  return fields.length + notes.length + (candidates?.length ?? 0) > 0 || overwrites;
}

function section(change: ShownChange, withDiffs: boolean): Markdown {
  const { action, address, label, fields } = change;
  const summary = htm`${phrase<Html>(action)} ${htmlCode(address)} ${htmlCode(label)}`;
  const blocks = [...remarks(change), ...fields.map((field) => fieldMarkdown(field, withDiffs))];
  return details(summary, join(blocks, "\n\n"));
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
