import type { ShownChange } from "../documents/index.js";
import { clip } from "./cells.js";
import {
  describeLocations,
  type FieldMarkdownOptions,
  listFacts,
  renderField,
  renderSummary,
} from "./field-markdown.js";
import { html, toHtmlCode } from "./html.js";
import {
  join,
  listCodeNames,
  type Markdown,
  md,
  measureBytes,
  renderDetails,
  toCode,
  trustText,
} from "./markdown.js";
import { isFirstWithOtherWords, type PartialsView, type ShownPartial } from "./partial-changes.js";
import { formatCount } from "./phrases.js";
import { findChangedHunks } from "./prose-changes.js";
import { renderRunningText } from "./running-text.js";
import { markdownContextLength } from "./shared-edits.js";

interface PartialsOptions extends FieldMarkdownOptions {
  /** Number of partials to show. */
  readonly rows: number;
  /** Whether to omit the folded sections. */
  readonly isTable?: boolean;
  /** Maximum size of the folded sections, in bytes. */
  readonly maxBytes?: number;
}

/** Maximum number of named objects. Longer lists are folded. */
const maxNamed = 10;

/** Maximum number of sections to open because they contain words that no partial shows. */
const maxOpen = 3;

/** Prints each partial change once, followed by a folded section for each object with an edit that no partial shows. */
export function renderPartials(view: PartialsView, options: PartialsOptions): Markdown {
  const { partials, covered } = view;
  const { rows, isShort = false, isTable = false } = options;
  const room = { ...options, isShort: isShort || isTable };
  const left = partials.length - rows;
  const more =
    left > 0 ? md`_${trustText<Markdown>(formatCount(left, "more partial"))} not shown here._` : md``;
  const shown = partials.slice(0, rows).map((partial) => renderPartial(partial, room));
  return join(
    [...shown, more, join(collectFacts(covered), "\n"), ...(room.isShort ? [] : foldRendered(view, room))],
    "\n\n",
  );
}

function renderPartial(
  { file, variable, before, after, renamedFrom, asField, above, affected }: ShownPartial,
  { isShort = false, fileUrl }: FieldMarkdownOptions,
): Markdown {
  const hunks = findChangedHunks(asField, markdownContextLength);
  const addresses = [...new Set(affected.map(({ address }) => address))];
  const objects = trustText<Markdown>(formatCount(addresses.length, "object"));
  const isFolded = addresses.length > maxNamed && !isShort;
  const lines = variable ? [{ file, line: variable.line }] : hunks.map(({ line }) => ({ file, line }));
  const values = variable
    ? md`variable ${toCode(variable.name)} ${renderValue(before)} → ${renderValue(after)} in `
    : md``;
  const where =
    above === undefined ? describeLocations(lines, fileUrl) : md`${toCode(file)} as in ${toCode(above)}`;
  const renamed = renamedFrom === undefined ? md`` : md` (renamed from ${toCode(renamedFrom)})`;
  const names = isFolded ? md`` : md`: ${listCodeNames(addresses)}`;
  const isDiffShown = above === undefined && !isShort && !variable;
  return join(
    [
      ...(isDiffShown ? hunks.map(renderRunningText) : []),
      md`**update** ${values}${where}${renamed}, in ${objects}${names}`,
      isFolded
        ? renderDetails(html`${formatCount(addresses.length, "object")}`, join(addresses.map(toCode), ", "))
        : md``,
      isDiffShown ? renderSummary(asField) : md``,
    ],
    "\n\n",
  );
}

/** Maximum width of a value, in terminal columns. */
const maxValueWidth = 200;

function renderValue(text: string): Markdown {
  return toCode(clip(text, maxValueWidth));
}

/** Collects facts about changed texts. Names the affected objects unless a fact applies to all of them. */
function collectFacts(changes: readonly ShownChange[]): Markdown[] {
  const addresses = new Map<Markdown, Set<string>>();
  for (const { address, fields } of changes)
    for (const fact of fields.flatMap(listFacts))
      addresses.set(fact, (addresses.get(fact) ?? new Set()).add(address));
  return [...addresses].map(([fact, of]) =>
    of.size === changes.length ? fact : md`${fact} (${listCodeNames([...of])})`,
  );
}

function foldRendered(view: PartialsView, options: PartialsOptions): Markdown[] {
  const { rendered, plan, partials } = view;
  const { maxBytes = Number.POSITIVE_INFINITY } = options;
  let [bytes, open] = [0, 0];
  return rendered.flatMap((change) => {
    if (bytes > maxBytes) return [];
    const { action, address, label, fields } = change;
    const differences = fields.map((field) => renderField({ field, plan, partials }, options));
    const content = join(differences, "\n\n");
    bytes += measureBytes(content);
    const isOpen = open < maxOpen && isFirstWithOtherWords(view, change);
    if (isOpen) open += 1;
    return [renderDetails(html`${action} ${toHtmlCode(address)} ${toHtmlCode(label)}`, content, isOpen)];
  });
}
