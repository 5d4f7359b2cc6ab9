import { CST, parse } from "yaml";
import { findHunks } from "../../templates/index.js";
import { escapeInvisible, hasLoneSurrogate } from "../tree/yaml-text.js";

/*
 * Edits a YAML text in place, so that its other lines do not change. Finds the source range of each character, and
 * replaces only the ranges that differ. The caller verifies the result, and otherwise rewrites the whole text.
 */

/** Characters of a value, with the source range of each. */
interface Mapped {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

interface Line {
  readonly text: string;
  readonly start: number;
}

/** Returns a scalar's source with its text replaced, or undefined if only part of the source can be mapped. */
export function spliceScalar(
  token: CST.FlowScalar | CST.BlockScalar,
  text: string,
  lineEnd: string,
): string | undefined {
  const { source } = token;
  // Invisible characters need escapes.
  if (hasLoneSurrogate(text) || escapeInvisible(text) !== text) return undefined;
  const before = CST.resolveAsScalar(token)?.value ?? "";
  const isBlock = token.type === "block-scalar";
  const isLiteral = isBlock && CST.stringify({ ...token, source: "" }).startsWith("|");
  const indent = isBlock ? findBlockIndent(source, before) : (/\n([ \t]*)\S/.exec(source)?.[1] ?? "");
  const mapped = isBlock
    ? mapLines(splitLines(source, indent.length), isLiteral, toCharacters)
    : mapLines(splitFlowLines(source, token.type !== "scalar"), false, readerOf[token.type]);
  if (
    !mapped
      ?.map((one) => one.text)
      .join("")
      .startsWith(before)
  )
    return undefined;
  const write = isLiteral ? writeLiteral : (writerOf[token.type] ?? writeFolded);
  let after = source;
  for (const found of findHunks(before, text).toReversed()) {
    const hunk = keepLineEnds(found, before, mapped);
    const first = mapped[hunk.start];
    const last = mapped[hunk.end - 1];
    const start = mapped[hunk.start - 1]?.end ?? first?.start ?? 0;
    const end = hunk.end > hunk.start ? (last?.end ?? start) : start;
    const isReplaced = hunk.end > hunk.start && first;
    const written = write(hunk.text, lineEnd, indent);
    if (written === undefined) return undefined;
    after = after.slice(0, isReplaced ? first.start : start) + written + after.slice(end);
  }
  return dropNewSpaces(source, after);
}

/** Moves a deletion that would join two lines, or an insertion after a line ending, if the result is equal. */
function keepLineEnds(hunk: Hunk, before: string, mapped: readonly Mapped[]): Hunk {
  if (hunk.start === hunk.end) {
    const { text, start, end } = mapped[hunk.start - 1] ?? { text: "", start: 0, end: 0 };
    if (text !== " " || end - start === 1 || !hunk.text.endsWith(" ")) return hunk;
    return { start: hunk.start - 1, end: hunk.end - 1, text: ` ${hunk.text.slice(0, -1)}` };
  }
  if (hunk.text !== "") return hunk;
  const joins = ({ start, end }: Hunk) =>
    mapped.slice(start, end).some((one) => one.text === " " && one.end - one.start > 1);
  const move = (by: number) => ({ ...hunk, start: hunk.start + by, end: hunk.end + by });
  let [left, right] = [0, 0];
  while (before[hunk.start + left - 1] === before[hunk.end + left - 1] && hunk.start + left > 0) left -= 1;
  while (before[hunk.start + right] === before[hunk.end + right] && hunk.end + right < before.length)
    right += 1;
  const moved = Array.from({ length: right - left + 1 }, (_, at) => move(left + at));
  return moved.find((one) => !joins(one)) ?? hunk;
}

type Hunk = ReturnType<typeof findHunks>[number];

/** Finds the indentation, which is not part of the value. */
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

/** Splits a plain or quoted text into lines without quotes and without the spaces around line endings. */
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

/** Maps lines, joined as YAML joins them. */
function mapLines(lines: readonly Line[], isLiteral: boolean, read: ReadLine): Mapped[] | undefined {
  const mapped: Mapped[] = [];
  let blank = 0;
  for (const [at, line] of lines.entries()) {
    const end = mapped.at(-1)?.end ?? 0;
    const isBlank = line.text === "";
    if (at > 0 && isLiteral) mapped.push({ text: "\n", start: end, end: line.start });
    else if (at > 0 && isBlank) blank += 1;
    else if (at > 0) {
      const joined = blank === 0 ? " " : "\n".repeat(blank);
      // Maps the whole gap between two lines to the last of several line feeds.
      for (const [nth, text] of [...joined].entries())
        mapped.push({ text, start: end, end: nth === joined.length - 1 ? line.start : end });
      blank = 0;
    }
    const characters = read(line);
    if (!characters) return undefined;
    mapped.push(...characters);
  }
  // A folded text ends with one line ending, unless its style strips it.
  return isLiteral
    ? mapped
    : [...mapped, { text: "\n", start: mapped.at(-1)?.end ?? 0, end: mapped.at(-1)?.end ?? 0 }];
}

const toCharacters: ReadLine = ({ text, start }) =>
  [...text.matchAll(/./gs)].map(({ 0: own, index }) => toMapped(own, start + index, own.length));

const toMapped = (text: string, start: number, length: number) => ({ text, start, end: start + length });

/** Reads the lines of plain and quoted texts. An escape stands for one character. */
const readerOf: Record<CST.FlowScalar["type"], ReadLine> = {
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
    // A character with two code units has only one range.
    return found.every((one) => one.text.length === 1) ? found : undefined;
  },
};

type WriteText = (text: string, lineEnd: string, indent: string) => string | undefined;

const writeLiteral: WriteText = (text, lineEnd, indent) => text.replaceAll("\n", lineEnd + indent);

const writeFolded: WriteText = (text, lineEnd, indent) =>
  text.replace(/\n+/g, (breaks) => lineEnd.repeat(breaks.length + 1) + indent);

const writerOf: Readonly<Record<string, WriteText>> = {
  "single-quoted-scalar": (text, lineEnd, indent) => writeFolded(text.replaceAll("'", "''"), lineEnd, indent),
  "double-quoted-scalar": (text) => JSON.stringify(text).slice(1, -1),
};

/** Removes the spaces of lines that have become blank. */
function dropNewSpaces(before: string, after: string): string {
  const known = new Set(before.split("\n"));
  return after
    .split("\n")
    .map((line, at, all) =>
      at < all.length - 1 && !known.has(line) && line.trim() === "" ? line.replace(/[ \t]+/, "") : line,
    )
    .join("\n");
}
