import { openSourceFile, type SourceFile, type SourceRange } from "../../base/diagnostics/index.js";
import { applySplices, type Splice } from "../../base/text/index.js";
import { parseTemplate, type Template, type TemplatePart, type TemplateProblem } from "./parse.js";

/*
 * Composes a prompt from its file, its partials and the values of variables. The result is a list of stretches, each
 * with its range in a file. Findings can then point to the files, and edits can be written back.
 */

/** A stretch of a composed text. */
export interface ComposedSpan {
  readonly text: string;
  /** Where these characters are in a file (`text`, `indent`), or the tag that they replace (`variable`). */
  readonly range: SourceRange;
  readonly is: "text" | "variable" | "indent";
  /** Indentation that tags add to each line. Not part of the file. */
  readonly indent: string;
  /** Whether the text is the value of a project variable. False for an argument. */
  readonly isFromProject?: boolean;
  /** Tags that include the file, outermost first. */
  readonly through: readonly SourceRange[];
}

/** A replacement in a file. */
export interface SourceEdit {
  readonly range: SourceRange;
  readonly text: string;
}

/** A composed text with its sources. The joined `stretches` are the whole text. */
export interface Composition {
  /** The object's own file, which includes the others. */
  readonly main: SourceFile;
  readonly text: string;
  readonly stretches: readonly ComposedSpan[];
  readonly problems: readonly TemplateProblem[];
  /** Names of the project variables that the text uses. */
  readonly variables: ReadonlySet<string>;
  readonly files: ReadonlySet<string>;
  /** The files after following symlinks. */
  readonly targets: ReadonlySet<string>;
  /** Cost in characters: the length of all files and values, plus a surcharge for each tag, part and indented line. */
  readonly size: number;
  readonly input: ComposeInput;
  /** Applies edits to its files and composes the text again. Ignores edits to other files. */
  withEdits(edits: readonly SourceEdit[]): Composition;
}

export interface ComposeInput {
  /** Values by name. They are not parsed as templates. */
  readonly variables: ReadonlyMap<string, string>;
  /** Returns a partial's file. If it cannot be included, reports the problem at the tag and returns undefined. */
  findPartial(name: string, tag: SourceRange): SourceFile | undefined;
  /** Offset of the text in the main file, after front matter. */
  readonly start?: number | undefined;
  /** Returns the range of a project variable's value. */
  readonly findVariable?: (name: string) => SourceRange | undefined;
}

/** Maximum cost of a text. Without a limit, a few files could expand to billions of characters. */
const maxTextSize = 4_000_000;
/** Costs in plain characters: of each part or indented line, and of each character in a tag. */
const [partCost, costInTag] = [20, 8];
/** Maximum partial nesting depth. */
const maxDepth = 50;

interface VariableValue {
  /** The value, or undefined if the argument refers to a missing variable. */
  readonly text: string | undefined;
  markUsed(): void;
}

/** Values by name. They take precedence over the outer scope. */
interface VariableScope {
  readonly own: ReadonlyMap<string, VariableValue>;
  readonly outer?: VariableScope;
}

/** Variables in scope for a file, and the chain of files and tags that includes the file. */
interface Scope {
  readonly values: VariableScope;
  readonly files: readonly string[];
  readonly through: readonly SourceRange[];
}

/** Composes a template file. The file's final line ending is not part of the text. */
export function compose(main: SourceFile, input: ComposeInput): Composition {
  const { variables, findPartial, start = 0 } = input;
  const problems: TemplateProblem[] = [];
  const reported = new Set<Template>();
  const used = { variables: new Set<string>(), files: new Set<string>(), targets: new Set<string>() };
  let size = 0;
  const values = new Map(
    [...variables].map(([name, text]) => [name, { text, markUsed: () => used.variables.add(name) }]),
  );
  const whole = { source: main, start, end: start + 1 };
  const written = write(main, whole, { values: { own: values }, files: [main.file], through: [] }, start);
  const stretches = size > maxTextSize ? [] : dropLastLineEnd(written, main);
  const text = stretches.map((stretch) => stretch.text).join("");
  const composition: Composition = { text, main, stretches, problems, ...used, size, input, withEdits };
  return composition;

  function withEdits(edits: readonly SourceEdit[]): Composition {
    const concerned = new Set(edits.map(({ range }) => range.source.target));
    if (![...concerned].some((file) => used.targets.has(file))) return composition;
    const edited = new Map<SourceFile, SourceFile>();
    const applyEdits = (source: SourceFile): SourceFile => {
      const known = edited.get(source);
      if (known || !concerned.has(source.target)) return known ?? source;
      const after = openSourceFile(source.file, editSource(source, edits) ?? source.text, source.target);
      edited.set(source, after);
      return after;
    };
    const editPartial = (name: string, tag: SourceRange) => {
      const found = findPartial(name, tag);
      return found && applyEdits(found);
    };
    return compose(applyEdits(main), { ...input, findPartial: editPartial });
  }

  function reportProblem(code: string, message: string, range: SourceRange, hint?: string): undefined {
    problems.push({ severity: "error", code, message, range, hint });
  }

  /** Adds a cost. Returns false if the text then exceeds the maximum cost. */
  function reserve(cost: number, range: SourceRange): boolean {
    const isFirst = size <= maxTextSize;
    size += cost;
    if (size <= maxTextSize) return true;
    const message = `the text is longer than ${maxTextSize / 1_000_000} million characters (each character in a tag counts as ${costInTag})`;
    if (isFirst) reportProblem("template-size", message, range, "use fewer or shorter partials");
    return false;
  }

  function write(source: SourceFile, tag: SourceRange, scope: Scope, start = 0): ComposedSpan[] {
    if (!reserve(readCost(source.text), tag)) return [];
    const from = parseTemplate(source, start);
    used.files.add(source.file);
    used.targets.add(source.target);
    if (!reported.has(from)) problems.push(...from.problems);
    reported.add(from);
    if (!reserve(from.parts.length * partCost, tag)) return [];
    return from.parts.flatMap((part) => {
      const range = { source, start: part.start, end: part.end };
      if (part.is === "partial") return writePartial(part, range, scope);
      const { is } = part;
      const isText = is === "text";
      const text = isText
        ? source.text.slice(part.start, part.end)
        : resolveVariable(part.name, range, scope.values);
      if (!text || (!isText && !reserve(text.length, range))) return [];
      const isFromProject = !isText && findValue(part.name, scope.values) === values.get(part.name);
      return { is, text, range, indent: "", isFromProject, through: scope.through };
    });
  }

  function writePartial(
    part: TemplatePart & { is: "partial" },
    tag: SourceRange,
    scope: Scope,
  ): ComposedSpan[] {
    const file = size > maxTextSize ? undefined : findPartial(part.name, tag);
    if (!file) return [];
    const files = [...scope.files, file.file];
    if (scope.files.includes(file.file)) {
      const way = files.slice(files.indexOf(file.file)).join(" → ");
      reportProblem("partial-cycle", `partials include each other: ${way}`, tag, "remove one of these tags");
      return [];
    }
    if (files.length > maxDepth + 1) {
      reportProblem(
        "partial-depth",
        `partials are nested more than ${maxDepth} deep`,
        tag,
        "nest fewer partials",
      );
      return [];
    }
    const own = new Map<string, VariableValue>();
    const unused = new Map(part.arguments);
    for (const [name, given] of part.arguments) {
      const text = "text" in given ? given.text : resolveVariable(given.variable, given, scope.values);
      own.set(name, { text, markUsed: () => unused.delete(name) });
    }
    const inner = own.size > 0 ? { own, outer: scope.values } : scope.values;
    const inside = write(file, tag, { values: inner, files, through: [...scope.through, tag] });
    for (const [name, range] of unused) {
      const message = `${file.file} does not use the argument ${name}`;
      problems.push({ severity: "warning", code: "unused-argument", message, range });
    }
    // A tag alone on its line is replaced together with its line ending.
    return part.indent ? indentLines(inside, part.indent, scope.through) : dropLastLineEnd(inside, file);
  }

  function resolveVariable(name: string, range: SourceRange, known: VariableScope): string | undefined {
    const value = findValue(name, known);
    value?.markUsed();
    if (value) return value.text;
    const hint = "add it to `variables`, or pass it as an argument to the partial";
    return reportProblem("unknown-variable", `there is no variable ${name}`, range, hint);
  }

  /** Indents each line of a partial like its tag. Lines inside a variable's value are not indented. */
  function indentLines(
    stretches: readonly ComposedSpan[],
    range: SourceRange,
    through: ComposedSpan["through"],
  ): ComposedSpan[] {
    const indent = range.source.text.slice(range.start, range.end);
    if (indent === "" || !reserve(stretches.length, range)) return [...stretches];
    const lines: ComposedSpan[] = [];
    let isLineStart = true;
    for (const stretch of stretches) {
      const { is, text } = stretch;
      const from = stretch.range.start;
      for (let at = 0, end = 0; at < text.length; at = end) {
        end = (is === "text" && text.indexOf("\n", at) + 1) || text.length;
        if (isLineStart && !reserve(indent.length + partCost, range)) return [];
        if (isLineStart) lines.push({ is: "indent", text: indent, indent: "", range, through });
        const lineRange = { ...stretch.range, start: from + at, end: from + end };
        const line = { text: text.slice(at, end), indent: indent + stretch.indent, range: lineRange };
        lines.push(is === "text" ? { ...stretch, ...line } : stretch);
        isLineStart = is === "text" && text[end - 1] === "\n";
      }
    }
    return lines;
  }
}

/** Returns the cost of a file, in characters. */
function readCost(text: string): number {
  let cost = text.length;
  for (const [tag] of text.matchAll(/\{\{[^}]*/g)) cost += costInTag * tag.length;
  return cost;
}

function findValue(name: string, known: VariableScope): VariableValue | undefined {
  return known.own.get(name) ?? (known.outer && findValue(name, known.outer));
}

/** Returns the range of a part in its file: the first line of the part, or the tag that the part replaces. */
export function findPartRange(
  { main, stretches }: Composition,
  { start, end }: { readonly start: number; readonly end: number },
): SourceRange {
  let from = 0;
  const stretch = stretches.find(({ text }) => {
    from += text.length;
    return from > start;
  });
  if (!stretch) return { source: main, start: 0, end: 0 };
  const { is, text, range } = stretch;
  if (is !== "text") return range;
  const at = start - (from - text.length);
  const [line = ""] = text.slice(at, Math.min(at + end - start, text.length)).split("\n", 1);
  return { source: range.source, start: range.start + at, end: range.start + at + line.length };
}

/** Applies the edits to a file's text. Returns undefined if two edits overlap. */
export function editSource(source: SourceFile, edits: readonly SourceEdit[]): string | undefined {
  const own = edits.filter(({ range }) => isSameFile(range.source, source));
  return applySplices(source.text, own.map(toSplice));
}

/** Returns whether two names lead to the same file with the same text. */
export function isSameFile(one: SourceFile, other: SourceFile): boolean {
  return one === other || (one.target === other.target && one.text === other.text);
}

export function toSplice({ range: { start, end }, text }: SourceEdit): Splice {
  return { start, end, text };
}

/** Removes the final line ending, even if it comes from a partial at the end. */
function dropLastLineEnd(stretches: readonly ComposedSpan[], { text: written }: SourceFile): ComposedSpan[] {
  const last = stretches.at(-1);
  if (!written.endsWith("\n") || !last?.text.endsWith("\n")) return [...stretches];
  const text = last.text.slice(0, -1);
  const end = last.is === "text" ? last.range.end - 1 : last.range.end;
  return [...stretches.slice(0, -1), ...(text ? [{ ...last, text, range: { ...last.range, end } }] : [])];
}
