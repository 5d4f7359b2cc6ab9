import type { ShownField, ShownLine } from "../documents/index.js";
import type { Segment } from "./prose-diff.js";
import { splitUnits } from "./words.js";

/** Nearby changes with the text around them. */
export interface Hunk {
  /** Line where the hunk starts: in the file if the text's location is known, otherwise in the new text. */
  readonly line: number;
  /** Location of the first change, if the text is composed of several files. */
  readonly location: ShownLine | undefined;
  /** Whether the line has more text before or after the hunk. */
  readonly cutBefore: boolean;
  readonly cutAfter: boolean;
  readonly segments: readonly Segment[];
}

/** Maximum length, in characters. A longer hunk ends at the next unchanged span, to stay readable. */
const maxHunkLength = 600;

/**
 * Groups the changes of a diff, with up to `context` characters from the same lines around each group. `location` is
 * where the new text starts.
 */
export function findHunks(
  segments: readonly Segment[],
  context: number,
  { location, composed }: Pick<ShownField, "location" | "composed"> = {},
): Hunk[] {
  const hunks: Hunk[] = [];
  let open: (Omit<Hunk, "cutAfter"> & { segments: Segment[]; length: number }) | undefined;
  let line = location?.line ?? 1;
  const locations = composed ? findLocations(segments, composed) : [];
  const add = (segment: Segment) => {
    if (!open) return;
    open.segments.push(segment);
    open.length += segment.text.length;
  };
  for (const [at, segment] of segments.entries()) {
    if (segment.kind !== "same") {
      open ??= { line, location: locations[at], cutBefore: false, segments: [], length: 0 };
      add(segment);
    } else {
      const head = takeHead(segment.text, context);
      const tail = takeTail(segment.text, context);
      const last = at === segments.length - 1;
      const isOneFile = locations[at]?.file === locations[at + 1]?.file;
      const near = isOneFile && segment.text.length <= context && countNewlines(segment.text) <= 2;
      const whole = near || head.length + tail.length >= segment.text.length;
      if (open && !last && whole && open.length < maxHunkLength) add(segment);
      else {
        const after = segment.text.slice(head.length);
        const cutAfter = after !== "" && !/^\r?\n/.test(after);
        if (open) hunks.push(endHunk(open, [...open.segments, ...createSameSegments(head)], cutAfter));
        const before = segment.text.length - tail.length;
        const cutBefore = before > 0 && segment.text[before - 1] !== "\n";
        const tailLine = line + countNewlines(segment.text.slice(0, before));
        open = last
          ? undefined
          : {
              line: tailLine,
              location: locations[at + 1],
              cutBefore,
              segments: createSameSegments(tail),
              length: tail.length,
            };
      }
    }
    if (segment.kind !== "removed") line += countNewlines(segment.text);
  }
  if (open) hunks.push(endHunk(open, open.segments, false));
  return hunks;
}

function endHunk(
  { line, location, cutBefore }: Pick<Hunk, "line" | "location" | "cutBefore">,
  segments: readonly Segment[],
  cutAfter: boolean,
): Hunk {
  return { line, location, cutBefore, cutAfter, segments };
}

/** Returns the file and line at the start of each segment, and at the end of the text, in a single pass. */
function findLocations(
  segments: readonly Segment[],
  { of, stretches }: NonNullable<ShownField["composed"]>,
): (ShownLine | undefined)[] {
  const own = of === "before" ? "removed" : "added";
  const isOwn = ({ kind }: Segment) => kind === "same" || kind === own;
  const text = segments
    .filter(isOwn)
    .map((segment) => segment.text)
    .join("");
  const sorted = stretches.toSorted((a, b) => a.start - b.start);
  let [next, counted, end] = [0, 0, 0];
  let location: ShownLine | undefined;
  const locateEnd = () => {
    for (let stretch = sorted[next]; stretch && stretch.start <= end; stretch = sorted[next]) {
      location = { file: stretch.file, line: stretch.line };
      counted = stretch.start;
      next += 1;
    }
    if (location)
      location = { file: location.file, line: location.line + countNewlines(text.slice(counted, end)) };
    counted = end;
    return location;
  };
  const first = locateEnd();
  const others = segments.map((segment) => {
    if (isOwn(segment)) end += segment.text.length;
    return locateEnd();
  });
  return [first, ...others];
}

/** Maps locations in a new text to the old text. Unchanged parts keep their location in the files. */
export function toOldLocations(
  segments: readonly Segment[],
  composed: NonNullable<ShownField["composed"]>,
): NonNullable<ShownField["composed"]> {
  const locations = findLocations(segments, composed);
  let [before, after] = [0, 0];
  const stretches = segments.flatMap(({ kind, text }, at) => {
    const [start, from, location] = [before, after, locations[at]];
    if (kind !== "added") before += text.length;
    if (kind !== "removed") after += text.length;
    if (kind === "added") return [];
    const inside = composed.stretches.filter((one) => one.start > from && one.start < after);
    const moved = inside.map((one) => ({ ...one, start: one.start - from + start }));
    return location ? [{ start, ...location }, ...moved] : moved;
  });
  return { of: "before", stretches };
}

function createSameSegments(text: string): Segment[] {
  return text === "" ? [] : [{ kind: "same", text }];
}

/** Returns the beginning of the first line: as many whole words as fit into `context` characters. */
function takeHead(text: string, context: number): string {
  let head = "";
  const line = text.slice(0, text.indexOf("\n") + 1 || undefined);
  for (const part of splitUnits(line.slice(0, context * 2))) {
    if (part.includes("\n") || head.length + part.length > context) break;
    head += part;
  }
  return /^\s*$/.test(head) || /^\r?\n/.test(text.slice(head.length)) ? head : head.trimEnd();
}

/**
 * Returns the end of the last line: as many whole words as fit into `context` characters. If the text ends with a line
 * break, takes the line before it.
 */
function takeTail(text: string, context: number): string {
  const lines = text.slice(Math.max(0, text.lastIndexOf("\n", text.length - 2)));
  const parts = splitUnits(lines.slice(-context * 2)).reverse();
  let tail = "";
  for (const [at, part] of parts.entries()) {
    if (tail.length + part.length > context || (at > 0 && part.includes("\n"))) break;
    tail = part + tail;
  }
  if (tail.trim() === "") return tail.slice(tail.lastIndexOf("\n") + 1);
  return tail.length === text.length || text.at(-tail.length - 1) === "\n" ? tail : tail.trimStart();
}

/** Counts line endings without building an array of lines. */
function countNewlines(text: string): number {
  let found = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) found += 1;
  return found;
}
