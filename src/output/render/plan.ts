import {
  actionFacts,
  describeEditChoices,
  describeEditEffect,
  isHint,
  type PlanDocument,
  type ShownChange,
  type ShownField,
} from "../documents/index.js";
import {
  type Block,
  bulletList,
  command,
  gap,
  heading,
  type Inline,
  inline,
  joinInline,
  type ListItem,
  markdownOnly,
  name,
  notes,
  ownText,
  paragraph,
  sentence,
  textOnly,
} from "./blocks.js";
import { commands } from "./commands.js";
import { summarizeFindings } from "./diagnostics.js";
import { omitChanges, type PartialChange, type PartialsView, viewPartials } from "./partial-changes.js";
import {
  formatCount,
  formatPlanCounts,
  formatRequestCount,
  isHighPriority,
  isUndecided,
  reasons,
  sortByAction,
} from "./phrases.js";
import { describeScope, renderSubject } from "./subject.js";
import { isShort } from "./value-text.js";

/** Content that earlier sections of a review already show. */
export interface EarlierContent {
  /** Earlier environment in the comment with the same changes. */
  readonly same?: string | undefined;
  /** Earlier environment in the comment with the same change, by address. */
  readonly sameChanges?: ReadonlyMap<string, string> | undefined;
  /** Display names of new objects that are otherwise equal to an object in an earlier environment, by address. */
  readonly otherNames?: ReadonlyMap<string, string> | undefined;
  readonly partials?: readonly PartialChange[] | undefined;
  /** Earlier environment in the comment that already shows a partial change, by `toPartialKey`. */
  readonly partialsAbove?: ReadonlyMap<string, string> | undefined;
}

/** Describes the counts and the changes by action. In Markdown, dashboard edits come after edits to the files. */
export function renderPlanBlocks(
  plan: PlanDocument,
  { same, sameChanges, otherNames, partials, partialsAbove }: EarlierContent = {},
): Block[] {
  const { service, compared_with: compared, policies = [] } = plan;
  const counts = formatPlanCounts(plan);
  const view = omitChanges(viewPartials(plan, partials, partialsAbove), sameChanges);
  const requests = formatRequestCount(plan.requests);
  const newTexts = countNewTexts(plan);
  const linesPerText = Math.floor(maxNewTextLines / Math.max(newTexts, 1));
  const lines = linesPerText < minNewTextLines ? 0 : linesPerText;
  const renderNoticesWhere = (is: (notice: PlanDocument["notices"][number]) => boolean) =>
    notes(plan.notices.filter(is).map(({ message }) => [sentence(message)]));
  return [
    textOnly(
      heading(
        ownText("Plan for "),
        name(service, "strong"),
        ...describeScope(plan),
        ...(compared ? [ownText(", not compared with the account", "warning")] : []),
      ),
    ),
    markdownOnly(
      heading(ownText(`${counts.startsWith("Nothing") ? "" : "Plan: "}${counts}`)),
      ...(compared ? [paragraph([ownText("Not compared with the account: no API key.", "strong")])] : []),
    ),
    renderNoticesWhere(isHighPriority),
    gap,
    markdownOnly({ is: "findings", diagnostics: [], policies, maxEntries: 10 }),
    ...(same === undefined ? [] : [paragraph(inline`The same changes as in ${name(same)}.`)]),
    ...renderSameChanges(sameChanges),
    ...renderOtherNames(otherNames),
    {
      is: "items",
      items: sortByAction(same === undefined ? view.others : []).map((change) =>
        renderChangeItem(change, view, lines),
      ),
      ...(same === undefined ? { partials: view } : {}),
      noun: "change",
      titles: ["Action", "Object", "Name", "What"],
      width: 10,
      maxOpenSections: 3,
      command: commands.plan,
      apart: {
        heading: "Changed in the account since the last apply",
        text: "Edited or removed elsewhere, for example in the dashboard.",
      },
    },
    gap,
    ...(newTexts > 0 && lines === 0
      ? [
          textOnly(
            paragraph(
              inline`${ownText(formatCount(newTexts, "new text"))} not shown here: ${command(commands.renderAll)} writes all texts to a folder.`,
            ),
            gap,
          ),
        ]
      : []),
    textOnly(...summarizeFindings([], policies)),
    renderNoticesWhere((notice) => !isHighPriority(notice) && !isHint(notice)),
    markdownOnly(renderSubject(plan, [[ownText(requests)]])),
    textOnly(renderNoticesWhere(isHint)),
    textOnly(paragraph([ownText(`${counts}. ${requests}.`, "strong")])),
  ];
}

/** Maximum number of addresses per line. */
const maxSame = 20;

function renderSameChanges(sameChanges: ReadonlyMap<string, string> = new Map()): Block[] {
  return [...new Set(sameChanges.values())].map((environment) => {
    const addresses = [...sameChanges].flatMap(([address, above]) =>
      above === environment ? [address] : [],
    );
    const named = joinInline(
      addresses.slice(0, maxSame).map((address) => [name(address)]),
      ", ",
    );
    const left = addresses.length - maxSame;
    return paragraph(
      inline`As in ${name(environment)}: ${named}${ownText(left > 0 ? ` and ${formatCount(left, "more object")}` : "")}.`,
    );
  });
}

function renderOtherNames(names: ReadonlyMap<string, string> = new Map()): Block[] {
  if (names.size === 0) return [];
  const named = [...names].map(([address, label]) => inline`${name(address)} is ${name(label)}`);
  const left = named.length - maxSame;
  const more = ownText(left > 0 ? ` and ${formatCount(left, "more name")}` : "");
  return [paragraph(inline`Other names: ${joinInline(named.slice(0, maxSame), ", ")}${more}.`)];
}

/** Maximum number of terminal lines for all new texts, divided equally among the texts. */
const maxNewTextLines = 240;
const minNewTextLines = 5;

function countNewTexts({ changes }: PlanDocument): number {
  const fields = changes.flatMap((change) => change.fields);
  return fields.filter(isNewText).length;
}

function isNewText({ type, before, after }: ShownField): boolean {
  return type === "prose" && before === undefined && typeof after === "string" && !isShort(after);
}

function renderChangeItem(change: ShownChange, view: PartialsView, newTextLines: number): ListItem {
  const { action, address, label, id, overwrites, fields, notes, candidates = [], held } = change;
  const { symbol, style } = actionFacts[action];
  const warns = overwrites || isUndecided(action);
  const reason = reasons[change.reason];
  const names = joinInline(
    fields.map(({ field }) => [name(field)]),
    ", ",
  );
  const hasDetails = fields.length + notes.length + candidates.length > 0 || overwrites || held !== undefined;
  const why = reason === undefined ? [] : [ownText(reason, overwrites ? "strong" : "plain")];
  return {
    ...{ mark: symbol, word: action, style, name: name(address), label },
    beside: [
      id === undefined || action === "update" ? undefined : name(id, "dim"),
      reason === undefined ? undefined : ownText(reason, warns ? "warning" : "dim"),
    ],
    cells: [
      joinInline(
        [names, why].filter((line) => line.length > 0),
        "; ",
      ),
    ],
    below: renderDetails(change, view, newTextLines),
    section: hasDetails ? renderDetails(change, view, newTextLines) : [],
    isApart: overwrites || fields.some(({ cause }) => cause !== "configured") || change.reason === "vanished",
  };
}

/** Describes the differences. Remarks come above them in Markdown, and below them in a terminal. */
function renderDetails(change: ShownChange, { plan, partials }: PartialsView, newTextLines: number): Block[] {
  const { fields, declared_at: at } = change;
  const known = renderRemarks(change, plan);
  const hasLocation = fields.some((field) => field.declared_at ?? field.location);
  return [
    markdownOnly(...known, ...(at && !hasLocation ? [{ is: "declared", at } as const] : [])),
    ...fields.map(
      (field): Block => ({
        ...{ is: "difference", field, plan, partials },
        ...(newTextLines > 0 && isNewText(field)
          ? { newText: { lines: newTextLines, command: commands.render(change.address, field.field) } }
          : {}),
      }),
    ),
    textOnly(...known),
  ];
}

function renderRemarks(change: ShownChange, plan: PlanDocument): Block[] {
  const { address, action, reason, overwrites, candidates = [], held, notes } = change;
  const isRollback = plan.restored_serial !== undefined;
  const adopt = candidates.map(({ id, label, created_at: at }): Inline => {
    const created = at === undefined ? [] : inline`, created ${name(at)}`;
    return inline`${name(id)} ${name(`"${label}"`)}${created}: ${command(commands.adopt(address, id))}`;
  });
  const another = candidates.length > 0 ? "if none of these matches, create a new one" : "create it anyway";
  const create = inline`${ownText(another)}: ${command(commands.createAnyway(address))}`;
  // A rollback does not offer to create an object, because the command would apply the files instead.
  const mayCreate = action === "ambiguous" && reason !== "shared-id" && !isRollback;
  return [
    ...(overwrites ? [renderDecision(change, plan, isRollback)] : []),
    bulletList([...adopt, ...(mayCreate ? [create] : [])]),
    bulletList([
      ...(held === undefined ? [] : [[sentence(held, "warning")]]),
      ...notes.map((note) => [sentence(note, "dim")]),
    ]),
  ];
}

/** Describes how to keep or overwrite a dashboard edit. */
function renderDecision(
  change: ShownChange,
  { overwrites_drift: isOverwritten }: PlanDocument,
  isRollback: boolean,
): Block {
  const hasConflicts = change.fields.some(({ conflicts = [] }) => conflicts.length > 0);
  const context = { isRollback, isOverwritten, hasConflicts };
  return paragraph(
    inline`${ownText(describeEditEffect(change, context), "strong")} ${sentence(describeEditChoices(change, context))}`,
    2,
  );
}
