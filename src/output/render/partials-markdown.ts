import type { ShownChange } from "../documents/index.js";
import { clip } from "./cells.js";
import {
  describePlaces,
  type FieldMarkdownOptions,
  fieldMarkdown,
  listFacts,
  summary,
} from "./field-markdown.js";
import { html, htmlCode } from "./html.js";
import { code, details, join, type Markdown, md, named, sizeInBytes, trusted } from "./markdown.js";
import { isFirstWithOtherWords, type PartialsView, type ShownPartial } from "./partial-changes.js";
import { count } from "./phrases.js";
import { changedHunks } from "./prose-changes.js";
import { runningText } from "./running-text.js";
import { markdownContext } from "./shared-edits.js";

interface PartialsOptions extends FieldMarkdownOptions {
  /** Number of partials to show. */
  readonly rows: number;
  /** Omits folds. */
  readonly isTable?: boolean;
  /** Stops printing after this many bytes of folds. */
  readonly maxBytes?: number;
}

/** More objects are folded. */
const maxNamed = 10;

/** Folds opened because they contain words that no partial shows. */
const maxOpen = 3;

/** Prints each partial change once, then a fold for each object whose text reads differently. */
export function partialsMarkdown(view: PartialsView, options: PartialsOptions): Markdown {
  const { partials, covered } = view;
  const { rows, isShort = false, isTable = false } = options;
  const room = { ...options, isShort: isShort || isTable };
  const left = partials.length - rows;
  const more = left > 0 ? md`_${trusted<Markdown>(count(left, "more partial"))} not shown here._` : md``;
  const shown = partials.slice(0, rows).map((partial) => partialMarkdown(partial, room));
  return join(
    [...shown, more, join(collectFacts(covered), "\n"), ...(room.isShort ? [] : foldRendered(view, room))],
    "\n\n",
  );
}

function partialMarkdown(
  { file, variable, before, after, renamedFrom, asField, above, reached }: ShownPartial,
  { isShort = false, fileUrl }: FieldMarkdownOptions,
): Markdown {
  const hunks = changedHunks(asField, markdownContext);
  const addresses = [...new Set(reached.map(({ address }) => address))];
  const objects = trusted<Markdown>(count(addresses.length, "object"));
  const isFolded = addresses.length > maxNamed && !isShort;
  const lines = variable ? [{ file, line: variable.line }] : hunks.map(({ line }) => ({ file, line }));
  const values = variable ? md`variable ${code(variable.name)} ${value(before)} → ${value(after)} in ` : md``;
  const where = above === undefined ? describePlaces(lines, fileUrl) : md`${code(file)} as in ${code(above)}`;
  const renamed = renamedFrom === undefined ? md`` : md` (renamed from ${code(renamedFrom)})`;
  const names = isFolded ? md`` : md`: ${named(addresses)}`;
  const isDiffShown = above === undefined && !isShort && !variable;
  return join(
    [
      ...(isDiffShown ? hunks.map(runningText) : []),
      md`**update** ${values}${where}${renamed}, in ${objects}${names}`,
      isFolded ? details(html`${count(addresses.length, "object")}`, join(addresses.map(code), ", ")) : md``,
      isDiffShown ? summary(asField) : md``,
    ],
    "\n\n",
  );
}

/** In terminal columns. */
const maxValueWidth = 200;

function value(text: string): Markdown {
  return code(clip(text, maxValueWidth));
}

/** Collects facts about changed texts, each with its objects unless it applies to all. */
function collectFacts(changes: readonly ShownChange[]): Markdown[] {
  const addresses = new Map<Markdown, Set<string>>();
  for (const { address, fields } of changes)
    for (const fact of fields.flatMap(listFacts))
      addresses.set(fact, (addresses.get(fact) ?? new Set()).add(address));
  return [...addresses].map(([fact, of]) =>
    of.size === changes.length ? fact : md`${fact} (${named([...of])})`,
  );
}

function foldRendered(view: PartialsView, options: PartialsOptions): Markdown[] {
  const { rendered, plan, partials } = view;
  const { maxBytes = Number.POSITIVE_INFINITY } = options;
  let [bytes, open] = [0, 0];
  return rendered.flatMap((change) => {
    if (bytes > maxBytes) return [];
    const { action, address, label, fields } = change;
    const differences = fields.map((field) => fieldMarkdown({ field, plan, partials }, options));
    const content = join(differences, "\n\n");
    bytes += sizeInBytes(content);
    const isOpen = open < maxOpen && isFirstWithOtherWords(view, change);
    if (isOpen) open += 1;
    return [details(html`${action} ${htmlCode(address)} ${htmlCode(label)}`, content, isOpen)];
  });
}
