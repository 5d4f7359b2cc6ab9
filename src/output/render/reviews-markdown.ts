import type {
  DiagnosticsDocument,
  PlanDocument,
  ProjectsHead,
  ShownChange,
  ShownField,
} from "../documents/index.js";
import { type PlanMarkdownOptions, renderBlocksMarkdown } from "./blocks-markdown.js";
import { listFacts } from "./field-markdown.js";
import { join, link, type Markdown, md, measureBytes, trustText } from "./markdown.js";
import { type PartialChange, type PartialsView, toPartialKey, viewPartials } from "./partial-changes.js";
import { formatCount } from "./phrases.js";
import type { EarlierContent } from "./plan.js";
import { type ProjectRow, renderProjectHeading, renderProjectsBlocks } from "./projects.js";
import { findChangedHunks } from "./prose-changes.js";
import { type ReviewFacts, renderBanners, renderEnding, renderReviewMarkdown } from "./review-markdown.js";
import { markdownContextLength, toEditKey } from "./shared-edits.js";

/** Section of a comment for one of several projects. The main file is relative to the repository root. */
export interface ReviewSection extends ProjectRow, Pick<PlanMarkdownOptions, "fileUrl"> {
  /** Plan or diagnostics, or undefined if no plan could be made. */
  readonly document?: PlanDocument | DiagnosticsDocument;
  readonly facts?: ReviewFacts;
  readonly partials?: readonly PartialChange[] | undefined;
  /** Whether there is nothing to review. */
  readonly isQuiet?: boolean;
}

/** Minimum size of a section, in bytes. Smaller sections are not useful. */
const minSectionBytes = 3_000;

/**
 * Renders several projects as one comment, with a table and sections. Sections share the space equally if they do not
 * all fit. Any that still do not fit are replaced by a count.
 */
export function renderReviewsMarkdown(
  head: ProjectsHead,
  sections: readonly ReviewSection[],
  facts: ReviewFacts,
  { limit = 60_000, ...options }: PlanMarkdownOptions = {},
): string {
  const projects = sections.filter(({ isQuiet }) => !isQuiet);
  const blocks = renderProjectsBlocks(head, projects, sections.length - projects.length).filter(
    // With a single project, the table and heading would only repeat its sections.
    ({ is }) => !(isOneProject(projects) && (is === "table" || is === "heading")),
  );
  const top = join(
    [
      renderBanners(facts),
      trustText<Markdown>(
        renderBlocksMarkdown(blocks, { limit: limit / 2 })
          .replace(/^### /, "## ")
          .trimEnd(),
      ),
    ],
    "\n\n",
  );
  const end = renderEnding(facts);
  const room = limit - measureBytes(top + end) - 500;
  const planned = projects.filter(({ document }) => document);
  const shown = planned.slice(0, Math.max(0, Math.floor(room / minSectionBytes)));
  const same = findShownAbove(shown);
  const print = (size: number) =>
    join(
      shown.map((section) =>
        renderSection(section, facts, { ...options, limit: size, ...same.get(section) }),
      ),
      "\n\n",
    );
  const whole = print(room);
  const printed = measureBytes(whole) <= room ? whole : print(Math.floor(room / shown.length) - 2);
  const left = planned.length - shown.length;
  const where =
    facts.runUrl === undefined
      ? md`\`avatarops plan --all\``
      : link(md`The summary of the run`, facts.runUrl);
  const omitted =
    left > 0
      ? md`_${trustText<Markdown>(formatCount(left, "more plan"))} not shown here. ${where} shows everything._`
      : md``;
  return join([top, printed, omitted, end], "\n\n");
}

function isOneProject(sections: readonly ReviewSection[]): boolean {
  const [first] = sections;
  return (
    first !== undefined && sections.every(({ project, document }) => project === first.project && document)
  );
}

/** Renders a project environment. */
function renderSection(
  { document, facts = {}, fileUrl, partials, ...at }: ReviewSection,
  { runUrl: wholeUrl }: ReviewFacts,
  { limit = 0, ...options }: PlanMarkdownOptions & EarlierContent,
): Markdown {
  if (!document) throw new Error("Bug: nothing to show");
  const title = renderProjectHeading(at, "markdown");
  const shown = { ...options, wholeUrl, fileUrl, partials, limit: limit - measureBytes(title) - 2 };
  return trustText(`${title}\n${renderReviewMarkdown(document, facts, shown).trimEnd()}`);
}

/** Finds the changes and partials that each section shares with earlier sections of its project. */
function findShownAbove(sections: readonly ReviewSection[]): ReadonlyMap<ReviewSection, EarlierContent> {
  const first = new Map<string, string>();
  const shown = new Map<string, string>();
  const shownChanges = new Map<string, string>();
  const names = new Map<string, string>();
  return new Map(
    sections.map((section): [ReviewSection, EarlierContent] => {
      const { project, environment, document, partials } = section;
      if (document?.format !== "avatarops/plan" || environment === undefined) return [section, {}];
      const view = viewPartials(document, partials);
      const key = toPlanKey(view);
      const created = document.changes.filter(({ action }) => action === "create");
      const nameKey = (at: string, address: string) => JSON.stringify([project, at, address]);
      for (const { address, label } of created) names.set(nameKey(environment, address), label);
      const findOtherNames = (findAbove: (address: string) => string | undefined) =>
        new Map(
          created.flatMap(({ address, label }) => {
            const known = names.get(nameKey(findAbove(address) ?? environment, address));
            return known === label ? [] : [[address, label] as const];
          }),
        );
      const same = key === undefined ? undefined : first.get(`${project} ${key}`);
      if (same !== undefined) return [section, { same, otherNames: findOtherNames(() => same) }];
      if (key !== undefined) first.set(`${project} ${key}`, environment);
      const keys = view.partials.map(toPartialKey);
      const above = keys.flatMap((one) => {
        const known = shown.get(`${project} ${one}`);
        if (known === undefined) shown.set(`${project} ${one}`, environment);
        return known === undefined ? [] : [[one, known] as const];
      });
      const sameChanges = view.plan.changes.flatMap((change) => {
        const own = toChangeKey(change);
        if (own === undefined) return [];
        const known = shownChanges.get(`${project} ${own}`);
        if (known === undefined) shownChanges.set(`${project} ${own}`, environment);
        return known === undefined ? [] : [[change.address, known] as const];
      });
      const sameAbove = new Map(sameChanges);
      const otherNames = findOtherNames((address) => sameAbove.get(address));
      return [section, { partialsAbove: new Map(above), sameChanges: sameAbove, otherNames }];
    }),
  );
}

/**
 * Returns a key that ignores ids and names, because they differ between environments. Returns undefined for a plan
 * without changes or with secrets.
 */
function toPlanKey({ partials, covered, rendered, plan }: PartialsView): string | undefined {
  const { changes } = plan;
  if (changes.length + covered.length === 0) return undefined;
  if (changes.some(({ fields }) => fields.some(({ type }) => type === "write-only"))) return undefined;
  const shownByPartials = covered.filter((change) => !rendered.includes(change));
  return JSON.stringify([
    partials.map((partial) => [toPartialKey(partial), partial.affected]),
    shownByPartials.map(({ address, fields }) => [address, fields.map(listFacts)]),
    changes.map(omitIdentity),
  ]);
}

/**
 * Returns a key that is the same for a change in several environments. Returns undefined for secrets and dashboard
 * edits.
 */
function toChangeKey(change: ShownChange): string | undefined {
  if (change.overwrites || change.fields.some(({ type }) => type === "write-only")) return undefined;
  return JSON.stringify(omitIdentity(change));
}

function omitIdentity({ id: _id, label, ...change }: ShownChange): object {
  if (change.action !== "create") return { ...change, fields: change.fields.map(toEdits) };
  // A new object's label repeats its name field, which is the first field with that value. Both are omitted.
  const named = change.fields.find(({ after }) => after === label);
  return { ...change, fields: change.fields.filter((field) => field !== named) };
}

/** Reduces a changed text to its edits, because the rest may differ between environments. */
function toEdits(field: ShownField): ShownField | object {
  const edits = findChangedHunks(field, markdownContextLength).map(toEditKey);
  const { before: _before, after: _after, composed: _composed, location: _location, ...more } = field;
  return edits.length > 0 && edits.every((edit) => edit !== undefined) ? { ...more, edits } : field;
}
