import { type JudgedObject, listTexts, type Rule, type TextFinding } from "../rule.js";

/*
 * The service fills `${name}`, and templates fill `{{name}}`. The avatar would read any other placeholder aloud.
 * Ignores examples of JSON, formulas (`\frac{a}`, `x{n}`), paths (`/orders/{id}`) and code.
 */
export const findUnfilledPlaceholders: Rule<"unfilled-placeholder"> = (object) =>
  listTexts(object).flatMap(({ path, text, isProse }) => {
    if (!isProse) return [];
    const prose = blankCode(text);
    return findTags(prose, describeWayToTemplate(object, path), object)
      .concat(findSpacedNames(prose), findMissingValues(prose))
      .map((finding) => ({ path, ...finding }));
  });

/** Describes how to turn a text into a template, which must be a file. Returns undefined if it is already one. */
function describeWayToTemplate(
  { key, origins = {} }: JudgedObject,
  path: readonly (string | number)[],
): string | undefined {
  const [field = ""] = path;
  const at = origins[field]?.at;
  if (at === "template") return undefined;
  const file = `prompts/${key}.md`;
  if (at === "typescript") return `put the text into a file and write promptFile("${file}", {})`;
  if (at === "file" || at === "body") return "list the file under `templates:`";
  return `put the text into a file (${path.at(-1)}: !file ${file}) and list that file under \`templates:\``;
}

const tag =
  /(?<![\w$\\/{}^])(?:\{\{ {0,3}(>? {0,3}[\p{L}_][\p{L}\p{N}_.= "'-]{0,62}[\p{L}\p{N}_"']) {0,3}\}\}|\{([\p{L}_][\p{L}\p{N}_-]{0,62}[\p{L}\p{N}_])\})(?![{}])/gu;

function findTags(
  prose: string,
  wayToTemplate: string | undefined,
  { variables = {} }: JudgedObject,
): TextFinding[] {
  return Array.from(prose.matchAll(tag)).flatMap(({ index, 0: written, 1: double, 2: single }) => {
    // Templates resolve all tags, so any remaining braces were escaped as `\{{`.
    if (double !== undefined && wayToTemplate === undefined) return [];
    const name = double ?? single ?? "";
    const asTemplate = wayToTemplate === undefined ? [] : [wayToTemplate];
    const asVariable = double === undefined ? [`write {{${name}}}`] : [];
    const otherwise = double === undefined ? "put it in backticks if it is an example" : asTemplate[0];
    const hint =
      name.startsWith(">") || Object.hasOwn(variables, name)
        ? [...asVariable, ...asTemplate].join(" and ")
        : `write \${${toName(name)}}, or ${otherwise}`;
    return [toFinding(index, written, "which is never filled in", hint)];
  });
}

function findSpacedNames(prose: string): TextFinding[] {
  return Array.from(prose.matchAll(/\$\{([^{}$\n]*)\}/g)).flatMap(({ index, 0: written, 1: name = "" }) => {
    if (/^\S+$/.test(name.trim())) return [];
    const hint = `write a name without spaces, such as \${${toName(name) || "name"}}`;
    return [toFinding(index, written, "whose name is not a single word", hint)];
  });
}

/** Joins the words of a name with underscores. */
function toName(name: string): string {
  return name.match(/[\p{L}\p{N}_.-]+/gu)?.join("_") ?? "";
}

const missing = /\[object [A-Z][A-Za-z]{0,30}\]|\bundefined\b/g;

/** Finds text that JavaScript produces for missing values. `undefined` is also an English word. */
function findMissingValues(prose: string): TextFinding[] {
  return Array.from(prose.matchAll(missing))
    .filter(({ index, 0: written }) => written !== "undefined" || !isEnglish(prose, index))
    .map(({ index, 0: written }) =>
      toFinding(index, written, "which looks like a missing value", "replace it with the intended text"),
    );
}

const before =
  /(?<!you )\b(?:is|are|was|were|be|been|being|as|left|remains?|stays?|becomes?|seems?|an?|the|any|every|some|still|not|or|and|if|otherwise) $/i;
const after =
  /^ (?:behaviou?rs?|terms?|values?|variables?|references?|results?|functions?|propert(?:y|ies)|keys?|fields?|states?|names?|words?|amounts?|numbers?|or|in|by|for)\b/;

/** Returns whether "undefined" at this offset is used as an adjective, or is part of a longer name or a quotation. */
function isEnglish(text: string, at: number): boolean {
  const end = at + "undefined".length;
  return (
    /[$"'“‘«/.-]/.test(text.charAt(at - 1)) ||
    /[$"'”’»/(-]/.test(text.charAt(end)) ||
    before.test(text.slice(Math.max(0, at - 20), at)) ||
    after.test(text.slice(end, end + 20))
  );
}

function toFinding(start: number, written: string, problem: string, hint: string): TextFinding {
  return { message: `contains ${written}, ${problem}`, hint, part: { start, end: start + written.length } };
}

/** Replaces Markdown code (fenced blocks, and code spans within a line) with blanks of the same length. */
function blankCode(text: string): string {
  if (!text.includes("`")) return text;
  const blank = (code: string) => " ".repeat(code.length);
  let isFenced = false;
  return text
    .split("\n")
    .map((line) => {
      if (!/^ {0,3}```/.test(line)) return isFenced ? blank(line) : line.replace(/`[^`]{1,200}`/g, blank);
      isFenced = !isFenced;
      return blank(line);
    })
    .join("\n");
}
