import type { ShownDiagnostic, ShownPlace } from "../documents/index.js";
import { cells, clip, fitting } from "./cells.js";
import { graphemes } from "./characters.js";
import { largest } from "./largest.js";
import { type Line, styled, wrap } from "./span.js";
import { visible } from "./visible.js";

const tabStops = 4;

/** Each diagnostic, and an empty line below it; all line numbers share one gutter. */
export function diagnosticsLines(diagnostics: readonly ShownDiagnostic[], width: number): Line[] {
  const gutter = largest(
    diagnostics.map(({ place }) => String(place?.line ?? 0).length),
    1,
  );
  return diagnostics.flatMap((diagnostic) => [...diagnosticLines(diagnostic, gutter, width), []]);
}

function diagnosticLines(diagnostic: ShownDiagnostic, gutter: number, width: number): Line[] {
  const { severity, code, message, place, hint } = diagnostic;
  const title = [styled(`${severity}[${code}]`, severity), styled(` ${message}`, "strong")];
  const head = wrap(title, { width, first: [], rest: [styled("  ")] });
  if (place) return [...head, ...placeLines(place, hint, severity, gutter, width)];
  const [lead, ...block] = hint?.split("\n") ?? [];
  if (lead === undefined) return head;
  const advice = wrap([styled(lead)], { width, first: [styled("  ")], rest: [styled("  ")] });
  return [...head, ...advice, ...block.map((line): Line => [styled("  "), styled(line)])];
}

/**
 * The source line, with carets under the marked range and the hint beside them, or below if there is no room.
 */
function placeLines(
  place: ShownPlace,
  hint: string | undefined,
  severity: ShownDiagnostic["severity"],
  gutter: number,
  width: number,
): Line[] {
  const blank = " ".repeat(gutter);
  const bar = styled(`${blank}│ `, "dim");
  const { text, start, length } = excerpt(place, width - gutter - 2);
  const carets = [bar, styled(" ".repeat(start)), styled("^".repeat(length), severity)];
  const lines: Line[] = [
    [styled(`${blank}╷`, "dim")],
    [styled(`${String(place.line).padStart(gutter)}│ `, "dim"), styled(text)],
  ];
  const beside = gutter + 2 + start + length + 1;
  const [lead, ...block] = hint?.split("\n") ?? [];
  if (lead === undefined) lines.push(carets);
  else if (beside + cells(visible(lead)) <= width) lines.push([...carets, styled(` ${lead}`, severity)]);
  else lines.push(carets, ...wrap([styled(lead, severity)], { width, first: [bar], rest: [bar] }));
  // Lines to copy start at the beginning of the line.
  lines.push(...block.map((line): Line => [styled(line)]));
  const where = `${place.file}:${place.line}:${place.column}`;
  lines.push(
    ...wrap([styled(where)], { width, first: [styled(`${blank}╵ `, "dim")], rest: [styled(`${blank}  `)] }),
  );
  return lines;
}

/**
 * The part of a source line around the marked range that fits, and the position of the range in it, in
 * terminal columns. Tabs become spaces, and invisible characters are written out, before anything is
 * measured.
 */
function excerpt(place: ShownPlace, width: number): { text: string; start: number; length: number } {
  const { text } = place;
  const column = place.column - (place.text_column ?? 1) + 1;
  const before = laidOut(text.slice(0, column - 1), 0);
  const meant = laidOut(text.slice(column - 1, column - 1 + place.length), cells(before));
  const after = laidOut(text.slice(column - 1 + place.length), cells(before) + cells(meant));
  const room = width - cells(before) - Math.max(1, cells(meant)) - cells(after);
  if (room >= 0)
    return { text: before + meant + after, start: cells(before), length: Math.max(1, cells(meant)) };
  const middle = meant === "" ? "" : clip(meant, Math.max(8, Math.floor(width / 2)));
  const side = width - cells(middle);
  const left =
    cells(before) <= Math.ceil(side / 2)
      ? before
      : cutStart(before, Math.max(side - cells(after), Math.ceil(side / 2)));
  const right = clip(after, width - cells(left) - cells(middle));
  return { text: left + middle + right, start: cells(left), length: Math.max(1, cells(middle)) };
}

function laidOut(text: string, from: number): string {
  let laid = "";
  for (const part of text.split(/(\t)/)) {
    const at = from + cells(laid);
    laid += part === "\t" ? " ".repeat(tabStops - (at % tabStops)) : visible(part);
  }
  return laid;
}

/** The end of the text that fits, after "…" if something is cut. */
function cutStart(text: string, width: number): string {
  if (cells(text) <= width) return text;
  return `…${fitting(graphemes(text).reverse(), width - 1)
    .toReversed()
    .join("")}`;
}
