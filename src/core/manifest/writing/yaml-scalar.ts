import { CST, parse } from "yaml";
import { findHunks } from "../../templates/index.js";
import { escapeInvisible, hasLoneSurrogate } from "../tree/yaml-text.js";

/*
 * Edits a YAML scalar in place, so that unchanged lines keep their bytes. Finds the source range of each character, and
 * replaces only the ranges that differ. The caller verifies the result, and rewrites the whole scalar if it is wrong.
 */

/** A character of a value, with its source range. */
interface Mapped {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

interface Line {
  readonly text: string;
  readonly start: number;
}

interface SpliceOptions {
  readonly lineEnd: string;
  /** Number of blank lines after the scalar. They become part of a text that ends with blank lines. */
  readonly blankLinesAfter?: number;
}

/** Returns whether the text has characters that are invisible unless they are escaped. */
function needsEscapes(text: string): boolean {
  return hasLoneSurrogate(text) || escapeInvisible(text) !== text;
}

function trimEnd(text: string): string {
  let end = text.length;
  while (text[end - 1] === "\n") end--;
  return text.slice(0, end);
}

/**
 * Replaces the text of a multi-line scalar. Returns false, and changes nothing, if only part of the source can be
 * mapped or the style cannot contain the text.
 */
export function spliceScalar(
  token: CST.FlowScalar | CST.BlockScalar,
  text: string,
  { lineEnd, blankLinesAfter = 0 }: SpliceOptions,
): boolean {
  if (needsEscapes(text)) return false;
  if (token.type === "block-scalar") return spliceBlock(token, text, lineEnd, blankLinesAfter);
  const { source, type } = token;
  const before = readScalar(token) ?? "";
  const indent = /\n([ \t]*)\S/.exec(source)?.[1] ?? "";
  const mapped = mapScalar(token);
  // Maps the final newline of a quoted text. `mapLines` skips the blank line that represents it.
  if (mapped) mapped.push({ text: "\n", start: mapped.at(-1)?.end ?? 0, end: mapped.at(-1)?.end ?? 0 });
  const after = dropNewSpaces(
    source,
    spliceHunks(source, mapped, before, text, (part) =>
      (textWriters[type] ?? writeFolded)(part, lineEnd, indent),
    ),
  );
  if (after !== undefined) token.source = after;
  return after !== undefined;
}

/**
 * Edits the lines of a block that differ. Also edits its header if the final newlines change or the new first line is
 * indented.
 */
function spliceBlock(
  token: CST.BlockScalar,
  text: string,
  lineEnd: string,
  blankLinesAfter: number,
): boolean {
  const { source } = token;
  const header = token.props.find((prop): prop is CST.SourceToken => prop.type === "block-scalar-header");
  const before = readScalar(token) ?? "";
  const [old, now] = [trimEnd(before), trimEnd(text)];
  if (!header || !old || !now) return false;
  const isLiteral = isLiteralBlock(token);
  const indent = findBlockIndent(source, before);
  const mapped = mapScalar(token);
  if (mapped && old.length > mapped.length) return false;
  const end = mapped?.[old.length - 1]?.end ?? source.length;
  const ended = source.slice(end) + (source.endsWith("\n") ? "" : lineEnd);
  const newlines = text.length - now.length;
  const isKept = newlines === before.length - old.length;
  const tail = isKept || newlines < 2 ? ended : lineEnd.repeat(Math.max(newlines - blankLinesAfter, 1));
  const [, digit = ""] = /(\d)/.exec(header.source) ?? [];
  const chomp = isKept ? header.source.replace(/[^-+]/g, "") : (["-", ""][newlines] ?? "+");
  const isIndented = /^\n*[ \t]/.test(now);
  const level = isIndented && digit === "" ? String(indent.length - token.indent) : digit;
  const newHeader = { ...header, source: `${header.source.charAt(0)}${level}${chomp}` };
  const props = token.props.map((one) => (one === header ? newHeader : one));
  const body = source.slice(0, end);
  const spliceLines = () =>
    spliceHunks(body, mapped?.slice(0, old.length), old, now, (part) => write(part, lineEnd, indent));
  const ways = [
    () => dropNewSpaces(body, spliceLines()),
    // Keeps lines that contain only spaces, which may be part of the text.
    spliceLines,
    () => (isLiteral ? undefined : spliceFoldedLines(body, mapped ?? [], old, now, lineEnd, indent)),
  ];
  const write = isLiteral ? writeLiteral : writeFolded;
  for (const way of ways) {
    const spliced = way();
    if (spliced === undefined) continue;
    // The removal of leading empty lines also removes the indentation of the next line.
    const lines = /^\r?\n/.test(spliced) || spliced.startsWith(indent) ? spliced : indent + spliced;
    const edited = { ...token, props, source: lines + tail };
    if (trimEnd(readScalar(edited) ?? "") !== now) continue;
    token.props = props;
    token.source = edited.source;
    return true;
  }
  return false;
}

/** Reads the text of a scalar. Returns undefined if the scalar is invalid. */
function readScalar(token: CST.FlowScalar | CST.BlockScalar): string | undefined {
  let isValid = true;
  const { value } = CST.resolveAsScalar(token, true, () => {
    isValid = false;
  });
  return isValid ? value : undefined;
}

/** Finds the source range of each character of a scalar. Returns undefined if the source cannot be mapped. */
function mapScalar(token: CST.FlowScalar | CST.BlockScalar): Mapped[] | undefined {
  const { source, type } = token;
  if (type !== "block-scalar")
    return mapLines(splitFlowLines(source, type !== "scalar"), false, lineReaders[type]);
  const indent = findBlockIndent(source, readScalar(token) ?? "");
  return mapLines(splitLines(source, indent.length), isLiteralBlock(token), toCharacters);
}

function isLiteralBlock({ props }: CST.BlockScalar): boolean {
  return props.some((prop) => prop.type === "block-scalar-header" && prop.source.startsWith("|"));
}

/** Finds the offset in the parsed YAML at which a line of a scalar's text starts. */
export function findLineStart(token: CST.Token | undefined, line: number): number | undefined {
  if (!CST.isScalar(token)) return undefined;
  const before = token.type === "block-scalar" ? token.props.map(CST.stringify).join("").length : 0;
  const mapped = mapScalar(token) ?? [];
  const starts = mapped.flatMap(({ text, end }) => (text === "\n" ? [end] : []));
  const start = line === 1 ? mapped[0]?.start : starts[line - 2];
  return start === undefined ? undefined : token.offset + before + start;
}

/** Writes the changed lines of a folded text without folds, and keeps the folds in unchanged lines. */
function spliceFoldedLines(
  source: string,
  mapped: readonly Mapped[],
  before: string,
  after: string,
  lineEnd: string,
  indent: string,
): string {
  const written = new Map<string, string>();
  for (const { 0: line, index } of before.matchAll(/[^\n]+/g))
    written.set(line, source.slice(mapped[index]?.start, mapped[index + line.length - 1]?.end));
  const isSpaced = (line = "") => /^[ \t]/.test(line);
  return after.replace(/(?<!\n)(\n*)([^\n]+)/g, (_, breaks: string, line: string, at: number) => {
    const previous = at === 0 ? undefined : after.slice(0, at).split("\n").at(-1);
    const isFolded = previous !== undefined && !isSpaced(previous) && !isSpaced(line);
    return lineEnd.repeat(breaks.length + (isFolded ? 1 : 0)) + indent + (written.get(line) ?? line);
  });
}

/** Replaces the parts of a mapped source that differ. */
function spliceHunks(
  source: string,
  mapped: readonly Mapped[] | undefined,
  before: string,
  text: string,
  write: (text: string) => string | undefined,
): string | undefined {
  if (
    !mapped
      ?.map((one) => one.text)
      .join("")
      .startsWith(before)
  )
    return undefined;
  let after = source;
  for (const found of findHunks(before, text).toReversed()) {
    const hunk = keepLineEnds(found, before, mapped);
    const first = mapped[hunk.start];
    const last = mapped[hunk.end - 1];
    const start = mapped[hunk.start - 1]?.end ?? first?.start ?? 0;
    const end = hunk.end > hunk.start ? (last?.end ?? start) : start;
    const isReplaced = hunk.end > hunk.start && first;
    const written = write(hunk.text);
    if (written === undefined) return undefined;
    after = after.slice(0, isReplaced ? first.start : start) + written + after.slice(end);
  }
  return after;
}

/**
 * Moves a deletion that would join two source lines, or an insertion right after a folded line ending, to a position
 * that gives the same text and keeps the line ending, if there is one.
 */
function keepLineEnds(hunk: Hunk, before: string, mapped: readonly Mapped[]): Hunk {
  if (hunk.start === hunk.end) {
    const { text, start, end } = mapped[hunk.start - 1] ?? { text: "", start: 0, end: 0 };
    if (text !== " " || end - start === 1 || !hunk.text.endsWith(" ")) return hunk;
    return { start: hunk.start - 1, end: hunk.end - 1, text: ` ${hunk.text.slice(0, -1)}` };
  }
  if (hunk.text !== "") return hunk;
  const joinsLines = ({ start, end }: Hunk) =>
    mapped.slice(start, end).some((one) => one.text === " " && one.end - one.start > 1);
  const move = (by: number) => ({ ...hunk, start: hunk.start + by, end: hunk.end + by });
  let [left, right] = [0, 0];
  while (before[hunk.start + left - 1] === before[hunk.end + left - 1] && hunk.start + left > 0) left -= 1;
  while (before[hunk.start + right] === before[hunk.end + right] && hunk.end + right < before.length)
    right += 1;
  const moved = Array.from({ length: right - left + 1 }, (_, at) => move(left + at));
  return moved.find((one) => !joinsLines(one)) ?? hunk;
}

type Hunk = ReturnType<typeof findHunks>[number];

function findBlockIndent(source: string, value: string): string {
  const written = /^[ \t]*(?=\S)/m.exec(source)?.[0] ?? "";
  const own = /^[ \t]*(?=\S)/m.exec(value)?.[0] ?? "";
  return written.slice(0, written.length - own.length);
}

/** Splits a source into lines without line endings, and without the first `indent` characters. */
function splitLines(source: string, indent: number): Line[] {
  return [...source.matchAll(/([^\n]*?)\r?(?:\n|$)/g)].map(({ index, 1: line = "" }) => {
    const dropped = Math.min(indent, line.length);
    return { text: line.slice(dropped), start: index + dropped };
  });
}

/** Splits a plain or quoted scalar into lines, without its quotes and the spaces around line endings. */
function splitFlowLines(source: string, isQuoted: boolean): Line[] {
  const quote = isQuoted ? 1 : 0;
  const lines = splitLines(source.slice(quote, source.length - quote), 0);
  return lines.map(({ text, start }, at) => {
    const head = at === 0 ? 0 : text.length - text.trimStart().length;
    const kept = at === lines.length - 1 ? text.slice(head) : text.slice(head).trimEnd();
    return { text: kept, start: start + quote + head };
  });
}

type ReadLine = (line: Line) => Mapped[] | undefined;

/**
 * Maps the characters of all lines, and joins the lines by YAML's rules. Lines that start with white space are not
 * folded.
 */
function mapLines(lines: readonly Line[], isLiteral: boolean, read: ReadLine): Mapped[] | undefined {
  const mapped: Mapped[] = [];
  let starts: number[] = [];
  let wasSpaced = false;
  for (const [at, line] of lines.entries()) {
    if (at > 0) starts.push(line.start);
    if (line.text === "" && !isLiteral) continue;
    const isSpaced = /^[ \t]/.test(line.text);
    const isFolded = at > 0 && mapped.length > 0 && !isLiteral && !wasSpaced && !isSpaced;
    wasSpaced = isSpaced;
    // A single line feed is folded to a space, and the first of several is dropped.
    const breaks = isFolded && starts.length > 1 ? starts.slice(1) : starts;
    for (const start of breaks)
      mapped.push({
        text: isFolded && starts.length === 1 ? " " : "\n",
        start: mapped.at(-1)?.end ?? 0,
        end: start,
      });
    starts = [];
    const characters = read(line);
    if (!characters) return undefined;
    mapped.push(...characters);
  }
  return mapped;
}

const toCharacters: ReadLine = ({ text, start }) =>
  [...text.matchAll(/./gs)].map(({ 0: own, index }) => toMapped(own, start + index, own.length));

const toMapped = (text: string, start: number, length: number) => ({ text, start, end: start + length });

/** Reads the lines of plain and quoted scalars. An escape stands for one character. */
const lineReaders: Record<CST.FlowScalar["type"], ReadLine> = {
  alias: () => undefined,
  scalar: toCharacters,
  "single-quoted-scalar": ({ text, start }) =>
    [...text.matchAll(/''|./gs)].map(({ 0: own, index }) =>
      toMapped(own === "''" ? "'" : own, start + index, own.length),
    ),
  "double-quoted-scalar": ({ text, start }) => {
    const found = [...text.matchAll(/\\(?:x.{2}|u.{4}|U.{8}|.)|[^\\]/g)].map(({ 0: own, index }) =>
      toMapped(own.startsWith("\\") ? String(parse(`"${own}"`)) : own, start + index, own.length),
    );
    // Gives up on a character with two code units, because both have the same source range.
    return found.every((one) => one.text.length === 1) ? found : undefined;
  },
};

type WriteText = (text: string, lineEnd: string, indent: string) => string | undefined;

const writeLiteral: WriteText = (text, lineEnd, indent) => text.replaceAll("\n", lineEnd + indent);

const writeFolded: WriteText = (text, lineEnd, indent) =>
  text.replace(/\n+/g, (breaks) => lineEnd.repeat(breaks.length + 1) + indent);

const textWriters: Readonly<Record<string, WriteText>> = {
  "single-quoted-scalar": (text, lineEnd, indent) => writeFolded(text.replaceAll("'", "''"), lineEnd, indent),
  "double-quoted-scalar": (text) => JSON.stringify(text).slice(1, -1),
};

/** Removes the spaces from lines that have become blank. */
function dropNewSpaces(before: string, after: string | undefined): string | undefined {
  const known = new Set(before.split("\n"));
  return after
    ?.split("\n")
    .map((line, at, all) =>
      at < all.length - 1 && !known.has(line) && line.trim() === "" ? line.replace(/[ \t]+/, "") : line,
    )
    .join("\n");
}
