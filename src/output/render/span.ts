import pc from "picocolors";
import { countCells } from "./cells.js";
import { splitGraphemes } from "./characters.js";
import { disarmCommands, makeVisible, type SafeText } from "./visible.js";

/** Span style, which determines its color. */
export type Style =
  | "plain"
  | "dim"
  | "strong"
  | "added"
  | "removed"
  | "good"
  | "changed"
  | "warning"
  | "error";

/** Text in a single style. {@link SafeText} is harmless in any output. */
export interface Span {
  readonly text: SafeText;
  readonly style: Style;
}

export type Line = readonly Span[];

/** Terminal layout. */
export interface TextOptions {
  readonly color: boolean;
  /** Width in columns, at least 24. */
  readonly width: number;
  /** Options to add to recommended commands. */
  readonly repeated?: RepeatedOptions | undefined;
}

/** Terminal layout for a command on one project. `repeated` has the options to add to recommended commands. */
export interface ProjectTextOptions extends TextOptions {
  readonly repeated: RepeatedOptions;
}

/** Options that choose a project and its environment, quoted for a shell. */
export interface RepeatedOptions {
  readonly file?: string | undefined;
  readonly env?: string | undefined;
}

/** Creates a span from any text. Spans are created only here, so their text is always safe. */
export function createSpan(text: string, style: Style = "plain"): Span {
  return { text: makeVisible(text), style };
}

/** Joins lines without trailing spaces. Emits no escape sequences if `color` is false. */
export function toTerminal(lines: readonly Line[], color: boolean): string {
  const styles = chooseStyles(color);
  return lines
    .map((line) => {
      const spans = mergeSpans(trimTrailingSpace(line));
      const plain = spans.map(({ text }) => text).join("");
      const harmless = disarmCommands(plain);
      // Prints the line without color. An escape sequence could split a CI command, and the command would work again
      // once a log strips the sequence.
      if (harmless !== plain) return `${harmless}\n`;
      return `${spans.map(({ text, style }) => styles[style](text)).join("")}\n`;
    })
    .join("");
}

/** Measures a line in terminal columns. */
export function countLineCells(line: Line): number {
  return line.reduce((sum, { text }) => sum + countCells(text), 0);
}

/** Width and prefixes of wrapped lines. */
export interface Margins {
  readonly width: number;
  readonly first: Line;
  readonly rest: Line;
}

/**
 * Breaks a line at spaces, so that each part fits the width with its prefix. Keeps text in backticks on one line if it
 * fits, because commands are copied. Breaks a word wider than the line between characters.
 */
export function wrap(line: Line, { width, first, rest }: Margins): Line[] {
  const lines: Span[][] = [];
  let current = [...first];
  let used = countLineCells(first);
  let gap: Span[] = [];
  const breakLine = () => {
    lines.push(current);
    current = [...rest];
    used = countLineCells(rest);
    gap = [];
  };
  const fresh = width - countLineCells(rest);
  for (const atom of splitAtoms(line, fresh)) {
    if (isGap(atom)) {
      gap = atom;
      continue;
    }
    const getRoom = () => width - used - countLineCells(gap);
    if (countLineCells(atom) > getRoom() && countLineCells(atom) <= fresh) breakLine();
    for (const span of atom.flatMap((whole) =>
      countCells(whole.text) > fresh
        ? splitGraphemes(whole.text).map((part) => createSpan(part, whole.style))
        : [whole],
    )) {
      if (countCells(span.text) > getRoom()) breakLine();
      current.push(...gap, span);
      used += countLineCells(gap) + countCells(span.text);
      gap = [];
    }
  }
  return [...lines, current];
}

/** Puts texts side by side, two spaces apart. Texts that do not fit go below, indented. */
export function fillLines(texts: readonly Line[], width: number, indent: string): Line[] {
  const lines: Line[] = [];
  let current: Line | undefined;
  for (const text of texts) {
    const beside: Line = current ? [...current, createSpan("  "), ...text] : text;
    if (countLineCells(beside) <= width) {
      current = beside;
      continue;
    }
    if (current) lines.push(current);
    const first = current ? [createSpan(indent)] : [];
    const parts = wrap(text, { width, first, rest: [createSpan(`${indent}  `)] });
    for (const part of parts.slice(0, -1)) lines.push(part);
    current = parts.at(-1);
  }
  return current ? [...lines, current] : lines;
}

/**
 * Splits a line into words and gaps. Joins adjacent spans into one word. Keeps code of up to `maxCodeWidth` columns whole.
 */
function splitAtoms(line: Line, maxCodeWidth: number): Span[][] {
  const atoms: Span[][] = [];
  for (const { text, style } of line) {
    const parts = text
      .split(/(`[^`]*`)/)
      .flatMap((part, at) =>
        at % 2 === 1 && countCells(part) <= maxCodeWidth ? [part] : part.split(/( +)/),
      );
    for (const part of parts.filter((part) => part !== "")) {
      const span = createSpan(part, style);
      const last = atoms.at(-1);
      if (last && isGap(last) === isGap([span])) last.push(span);
      else atoms.push([span]);
    }
  }
  return atoms;
}

function isGap(atom: Line): boolean {
  return atom[0]?.text.startsWith(" ") ?? false;
}

function trimTrailingSpace(line: Line): Line {
  const spans = [...line];
  for (let last = spans.pop(); last; last = spans.pop()) {
    const text = last.text.trimEnd();
    if (text !== "") return [...spans, createSpan(text, last.style)];
  }
  return [];
}

/** Merges adjacent spans of the same style, to avoid needless escape sequences. */
function mergeSpans(line: Line): Span[] {
  const runs: { readonly style: Style; readonly texts: SafeText[] }[] = [];
  for (const { text, style } of line) {
    const last = runs.at(-1);
    if (last?.style === style) last.texts.push(text);
    else runs.push({ style, texts: [text] });
  }
  return runs.map(({ style, texts }) => createSpan(texts.join(""), style));
}

function chooseStyles(color: boolean): Readonly<Record<Style, (text: string) => string>> {
  const colors = pc.createColors(color);
  return {
    plain: (text) => text,
    dim: colors.dim,
    strong: colors.bold,
    added: colors.green,
    removed: colors.red,
    good: colors.green,
    changed: colors.cyan,
    warning: colors.yellow,
    error: (text) => colors.red(colors.bold(text)),
  };
}
