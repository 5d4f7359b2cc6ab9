import { openSourceFile, type SourceFile, type SourceRange } from "../../base/diagnostics/index.js";
import { applySplices, type Splice } from "../../base/text/index.js";
import { type Part, parseTemplate, type Template, type TemplateProblem } from "./parse.js";

/*
 * A prompt is composed of its file, of the partials that it names, and of the values of variables. The result is a list of
 * stretches, each with the place it is written at, so that whatever is found in the text can be said of a file, and an edit
 * of the text can be made there.
 */

/** A stretch of a composed text. */
export interface Stretch {
  readonly text: string;
  /** Where it is written: these very characters (`text`, `indent`), or the tag that stands for it (`variable`). */
  readonly range: SourceRange;
  readonly is: "text" | "variable" | "indent";
  /** With what each of its lines begins that is not in its file: the indentation of tags. */
  readonly indent: string;
  /** A variable of the project, and not an argument. */
  readonly ofProject?: boolean;
  /** The tags through which the file is part of the text, outermost first. */
  readonly through: readonly SourceRange[];
}

/** A replacement in a file. */
export interface SourceEdit {
  readonly range: SourceRange;
  readonly text: string;
}

/** A text and where all of it is written. The texts of the stretches are the text. */
export interface Composition {
  /** The file that names the others. */
  readonly main: SourceFile;
  readonly text: string;
  readonly stretches: readonly Stretch[];
  readonly problems: readonly TemplateProblem[];
  /** The variables of the project that it uses, and the files. */
  readonly variables: ReadonlySet<string>;
  readonly files: ReadonlySet<string>;
  /** What it took to make it, in characters: those of its files and values, and more for each tag and indented line. */
  readonly size: number;
  /** What it is composed with. */
  readonly input: ComposeInput;
  /** What it would be after replacements in its files. Those that do not concern its files change nothing. */
  withEdits(edits: readonly SourceEdit[]): Composition;
}

export interface ComposeInput {
  /** Values by name. They are not read as templates. */
  readonly variables: ReadonlyMap<string, string>;
  /** The file of a partial; reports at the tag what is wrong with it, and returns undefined then. */
  partial(name: string, tag: SourceRange): SourceFile | undefined;
  /** Where the text of the main file begins: behind front matter. */
  readonly start?: number | undefined;
  /** Where the value of a variable of the project is written. */
  readonly placeOf?: (name: string) => SourceRange | undefined;
}

/** The most that a text may take: a few files can stand for billions of characters. */
const mostOfText = 4_000_000;
/** What a part or an indented line takes, and a character in a tag, in other characters: as long to read, and as much memory. */
const [partCost, costInTag] = [20, 8];
/** Depth of partials in each other. */
const mostNested = 50;

/** A value that a template may name. */
interface Value {
  /** Undefined if it names another that is missing. */
  readonly text: string | undefined;
  markUsed(): void;
}

/** Values by name, before those that are known around them. */
interface Values {
  readonly own: ReadonlyMap<string, Value>;
  readonly outer?: Values;
}

/** What the tags of a file may name, and how the file became part of the text. */
interface Scope {
  readonly values: Values;
  readonly files: readonly string[];
  readonly through: readonly SourceRange[];
}

/** Composes the text of a file, which is a template. As of every file, one final line end is not part of the text. */
export function compose(main: SourceFile, input: ComposeInput): Composition {
  const { variables, partial, start = 0 } = input;
  const problems: TemplateProblem[] = [];
  const reported = new Set<Template>();
  const used = { variables: new Set<string>(), files: new Set<string>() };
  let size = 0;
  const values = new Map(
    [...variables].map(([name, text]) => [name, { text, markUsed: () => used.variables.add(name) }]),
  );
  const whole = { source: main, start, end: start + 1 };
  const written = write(main, whole, { values: { own: values }, files: [main.file], through: [] }, start);
  const stretches = size > mostOfText ? [] : withoutLastLineEnd(written, main);
  const text = stretches.map((stretch) => stretch.text).join("");
  const composition: Composition = { text, main, stretches, problems, ...used, size, input, withEdits };
  return composition;

  function withEdits(edits: readonly SourceEdit[]): Composition {
    const concerned = new Set(edits.map(({ range }) => range.source.file));
    if (![...concerned].some((file) => used.files.has(file))) return composition;
    const edited = new Map<SourceFile, SourceFile>();
    const afterEdits = (source: SourceFile): SourceFile => {
      const known = edited.get(source);
      if (known || !concerned.has(source.file)) return known ?? source;
      const after = openSourceFile(source.file, editSource(source, edits) ?? source.text);
      edited.set(source, after);
      return after;
    };
    const again = (name: string, tag: SourceRange) => {
      const found = partial(name, tag);
      return found && afterEdits(found);
    };
    return compose(afterEdits(main), { ...input, partial: again });
  }

  function problem(code: string, message: string, range: SourceRange, hint?: string): undefined {
    problems.push({ severity: "error", code, message, range, hint });
  }

  /** Whether the text may still take this much. */
  function takes(cost: number, range: SourceRange): boolean {
    const isFirst = size <= mostOfText;
    size += cost;
    if (size <= mostOfText) return true;
    const message = `the text is made of more than ${mostOfText / 1_000_000} million characters, where those of a tag count as more`;
    if (isFirst) problem("template-size", message, range, "use fewer or shorter partials");
    return false;
  }

  function write(source: SourceFile, tag: SourceRange, scope: Scope, start = 0): Stretch[] {
    if (!takes(costOf(source.text), tag)) return [];
    const from = parseTemplate(source, start);
    used.files.add(source.file);
    if (!reported.has(from)) problems.push(...from.problems);
    reported.add(from);
    if (!takes(from.parts.length * partCost, tag)) return [];
    return from.parts.flatMap((part) => {
      const range = { source, start: part.start, end: part.end };
      if (part.is === "partial") return writePartial(part, range, scope);
      const { is } = part;
      const isText = is === "text";
      const text = isText
        ? source.text.slice(part.start, part.end)
        : valueNamed(part.name, range, scope.values);
      if (!text || (!isText && !takes(text.length, range))) return [];
      const ofProject = !isText && findValue(part.name, scope.values) === values.get(part.name);
      return { is, text, range, indent: "", ofProject, through: scope.through };
    });
  }

  function writePartial(part: Part & { is: "partial" }, tag: SourceRange, scope: Scope): Stretch[] {
    const file = size > mostOfText ? undefined : partial(part.name, tag);
    if (!file) return [];
    const files = [...scope.files, file.file];
    if (scope.files.includes(file.file)) {
      const way = files.slice(files.indexOf(file.file)).join(" → ");
      problem("partial-cycle", `partials include each other: ${way}`, tag, "remove one of them");
      return [];
    }
    if (files.length > mostNested + 1) {
      problem("partial-depth", `more than ${mostNested} partials are in each other`, tag, "nest fewer");
      return [];
    }
    const own = new Map<string, Value>();
    const unused = new Map(part.arguments);
    for (const [name, given] of part.arguments) {
      const text = "text" in given ? given.text : valueNamed(given.variable, given, scope.values);
      own.set(name, { text, markUsed: () => unused.delete(name) });
    }
    const inner = own.size > 0 ? { own, outer: scope.values } : scope.values;
    const inside = write(file, tag, { values: inner, files, through: [...scope.through, tag] });
    for (const [name, range] of unused) {
      const message = `${file.file} does not use the argument ${name}`;
      problems.push({ severity: "warning", code: "unused-argument", message, range });
    }
    // Alone on its line, it ends that line itself.
    return part.indent ? indented(inside, part.indent, scope.through) : withoutLastLineEnd(inside, file);
  }

  function valueNamed(name: string, range: SourceRange, known: Values): string | undefined {
    const value = findValue(name, known);
    value?.markUsed();
    if (value) return value.text;
    const hint = "add it to the variables, or give it as an argument of the partial";
    return problem("unknown-variable", `there is no variable ${name}`, range, hint);
  }

  /** With the indentation of a partial's tag before each of its lines; the lines of a variable's value stay as they are. */
  function indented(
    stretches: readonly Stretch[],
    range: SourceRange,
    through: Stretch["through"],
  ): Stretch[] {
    const indent = range.source.text.slice(range.start, range.end);
    if (indent === "" || !takes(stretches.length, range)) return [...stretches];
    const lines: Stretch[] = [];
    let isLineStart = true;
    for (const stretch of stretches) {
      const { is, text } = stretch;
      const from = stretch.range.start;
      for (let at = 0, end = 0; at < text.length; at = end) {
        end = (is === "text" && text.indexOf("\n", at) + 1) || text.length;
        if (isLineStart && !takes(indent.length + partCost, range)) return [];
        if (isLineStart) lines.push({ is: "indent", text: indent, indent: "", range, through });
        const place = { ...stretch.range, start: from + at, end: from + end };
        const line = { text: text.slice(at, end), indent: indent + stretch.indent, range: place };
        lines.push(is === "text" ? { ...stretch, ...line } : stretch);
        isLineStart = is === "text" && text[end - 1] === "\n";
      }
    }
    return lines;
  }
}

/** What a file takes, in characters. */
function costOf(text: string): number {
  let cost = text.length;
  for (const [tag] of text.matchAll(/\{\{[^}]*/g)) cost += costInTag * tag.length;
  return cost;
}

function findValue(name: string, known: Values): Value | undefined {
  return known.own.get(name) ?? (known.outer && findValue(name, known.outer));
}

/** Where a part of a composed text begins: its first line there, or the tag that stands for it. */
export function placeInComposition(
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

/** A file after those of the edits that are of it. Undefined if two overlap. */
export function editSource(source: SourceFile, edits: readonly SourceEdit[]): string | undefined {
  const own = edits.filter(({ range }) => range.source === source);
  return applySplices(source.text, own.map(toSplice));
}

export function toSplice({ range: { start, end }, text }: SourceEdit): Splice {
  return { start, end, text };
}

/** As of the text of every file: the line end at its end, or that of a partial which has taken its place. */
function withoutLastLineEnd(stretches: readonly Stretch[], { text: written }: SourceFile): Stretch[] {
  const last = stretches.at(-1);
  if (!written.endsWith("\n") || !last?.text.endsWith("\n")) return [...stretches];
  const text = last.text.slice(0, -1);
  const end = last.is === "text" ? last.range.end - 1 : last.range.end;
  return [...stretches.slice(0, -1), ...(text ? [{ ...last, text, range: { ...last.range, end } }] : [])];
}
