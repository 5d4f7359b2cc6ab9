import type { ShownField } from "../documents/index.js";
import { clip } from "./cells.js";
import { diffEntries } from "./list-diff.js";
import { code, fenced, join, link, type Markdown, md, trusted } from "./markdown.js";
import { describeCause } from "./phrases.js";
import { type ProseFacts, proseFacts } from "./prose-facts.js";
import { hunksMarkdown, proseHunks } from "./prose-markdown.js";
import { canCompare, describeSize, entryInLine, sizeChange, toEntries, valueInLine } from "./value-text.js";

const longestValue = 300;
/** Of the differences of one text, where not all are asked for. */
const mostHunks = 40;
/** Of the places of one text that are linked. */
const mostLinks = 8;

/** The page of a line of a project's file. */
export type FileUrl = (file: string, line: number) => string;

export interface FieldMarkdownOptions {
  /** Without the diff if there is no room. */
  readonly withDiff: boolean;
  readonly fileUrl?: FileUrl | undefined;
  /** Shows every difference of a text, however many there are. */
  readonly isWhole?: boolean | undefined;
  /** Where the whole plan is. */
  readonly wholeUrl?: string | undefined;
}

export function fieldMarkdown(field: ShownField, options: FieldMarkdownOptions): Markdown {
  const { withDiff, fileUrl, isWhole, wholeUrl } = options;
  const cause = describeCause(field);
  const why = trusted<Markdown>(cause ? `(${cause})` : "");
  const { before, after, place } = field;
  const compares = canCompare(field) && typeof before === "string" && typeof after === "string";
  const hunks = compares ? proseHunks(before, after, place) : [];
  const head = join(
    [md`**${code(field.field)}**`, describeChange(field), why, describePlace(field, hunks, fileUrl)],
    " ",
  );
  const blocks = [head, join(listFacts(field), "\n")];
  if (withDiff) blocks.push(field.type === "list" ? listDiff(field) : md``);
  if (withDiff && compares) {
    const most = isWhole ? hunks.length : mostHunks;
    blocks.push(hunksMarkdown(hunks, most, place));
    if (hunks.length > most && wholeUrl !== undefined)
      blocks.push(md`_${link(md`The summary of the run`, wholeUrl)} shows all changes of this text._`);
  }
  return join(blocks, "\n\n");
}

/** Where to find it: of a text that is compared, the line of each change. */
function describePlace(
  { place, declared_at: at = place }: ShownField,
  hunks: readonly { readonly line: number }[],
  fileUrl?: FileUrl,
): Markdown {
  if (!at) return trusted("");
  const lines = place && hunks.length > 0 ? [...new Set(hunks.map(({ line }) => line))] : [at.line];
  const links = lines.slice(0, mostLinks).map((line) => link(md`${line}`, fileUrl?.(at.file, line)));
  const more = lines.length > mostLinks ? md`, …` : md``;
  return md`in ${code(at.file)}, ${trusted<Markdown>(lines.length === 1 ? "line" : "lines")} ${join(links, ", ")}${more}`;
}

function describeChange(field: ShownField): Markdown {
  const { type, before, after, known_after } = field;
  if (known_after !== undefined) {
    const now = md`id of ${code(known_after)}, known after apply`;
    return before === undefined ? now : md`${inLine(before)} → ${now}`;
  }
  if (type === "write-only") return trusted("new value, never shown");
  if (after === undefined)
    return before === undefined ? trusted("(deleted)") : md`${inLine(before)} → (deleted)`;
  if (type === "list") return trusted("");
  if (canCompare(field)) return trusted(sizeChange(field) ?? "");
  return before === undefined ? inLine(after) : md`${inLine(before)} → ${inLine(after)}`;
}

function inLine(value: NonNullable<ShownField["before"]>): Markdown {
  if (typeof value !== "string") return trusted(valueInLine(value));
  return value.length <= longestValue && !value.includes("\n") ? code(value) : trusted(describeSize(value));
}

/** What a diff does not make obvious, as a list. */
function listFacts(field: ShownField): Markdown[] {
  const { type, before, after, place } = field;
  if (type !== "prose" || typeof after !== "string") return [];
  const { accidents, moved, placeholders } = proseFacts(
    typeof before === "string" ? before : undefined,
    after,
    place?.line,
  );
  return [
    ...accidents.map((accident) => md`- ⚠ ${trusted<Markdown>(capitalized(accident))}`),
    ...moved.map(movedPart),
    ...(placeholders?.added ?? []).map((name) => addedPlaceholder(field, code(name))),
    ...(placeholders?.removed ?? []).map((name) => removedPlaceholder(field, code(name))),
  ];
}

/** Of a moved paragraph, so much that it is recognised. */
const longestBeginning = 60;

function movedPart({ where, text }: ProseFacts["moved"][number]): Markdown {
  const how = trusted<Markdown>(capitalized(where));
  return text === undefined
    ? md`- ${how}.`
    : md`- ${how}, with the same words: ${code(clip(text, longestBeginning))}`;
}

function addedPlaceholder({ cause, before }: ShownField, name: Markdown): Markdown {
  if (cause !== "configured") return md`- Placeholder ${name}: only in the files.`;
  return before === undefined
    ? md`- Placeholder ${name}: whoever starts a session has to pass it.`
    : md`- New placeholder ${name}: whoever starts a session has to pass it.`;
}

function removedPlaceholder({ cause }: ShownField, name: Markdown): Markdown {
  if (cause !== "configured") return md`- Placeholder ${name}: only in the account.`;
  return md`- Placeholder ${name} is gone: nobody has to pass it any more.`;
}

function capitalized(sentence: string): string {
  return sentence.slice(0, 1).toUpperCase() + sentence.slice(1);
}

function listDiff({ before, after }: ShownField): Markdown {
  const signs = { removed: "-", added: "+", moved: " " } as const;
  const lines = diffEntries(toEntries(before), toEntries(after)).map(
    ({ kind, entry }) => `${signs[kind]} ${entryInLine(entry)}${kind === "moved" ? "  (moved)" : ""}`,
  );
  return lines.length > 0 ? fenced(lines, "diff") : trusted("(empty)");
}
