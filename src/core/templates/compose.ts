import { nearest, openSource, type Source, type SourceRange } from "../../base/diagnostics/index.js";
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
  readonly main: Source;
  readonly text: string;
  readonly stretches: readonly Stretch[];
  readonly problems: readonly TemplateProblem[];
  /** The variables of the project that it uses, and the files. */
  readonly variables: ReadonlySet<string>;
  readonly files: ReadonlySet<string>;
  /** What it is composed with. */
  readonly input: ComposeInput;
  /** What it would be after replacements in its files. Those that do not concern its files change nothing. */
  withEdits(edits: readonly SourceEdit[]): Composition;
}

export interface ComposeInput {
  /** Values by name. They are not read as templates. */
  readonly variables: ReadonlyMap<string, string>;
  /** The file of a partial; reports at the tag what is wrong with it, and returns undefined then. */
  partial(name: string, tag: SourceRange): Source | undefined;
  /** Where the text of the main file begins: behind front matter. */
  readonly start?: number | undefined;
}

/** The most tags of partials in a text: so many make sense for no one, and a few files can stand for billions. */
const maxPartials = 10_000;

/** A value that a template may name. */
interface Value {
  /** Undefined if it names another that is missing. */
  readonly text: string | undefined;
  markUsed(): void;
}

/** What the tags of a file may name, and how the file became part of the text. */
interface Scope {
  readonly values: ReadonlyMap<string, Value>;
  readonly files: readonly string[];
  readonly through: readonly SourceRange[];
}

/** Composes the text of a file, which is a template. As of every file, one final line end is not part of the text. */
export function compose(main: Source, input: ComposeInput): Composition {
  const { variables, partial, start = 0 } = input;
  const problems: TemplateProblem[] = [];
  const reported = new Set<Template>();
  const used = { variables: new Set<string>(), files: new Set<string>() };
  let partials = 0;
  const values = new Map(
    [...variables].map(([name, text]) => [name, { text, markUsed: () => used.variables.add(name) }]),
  );
  const template = parseTemplate(main, start);
  const stretches = withoutLastLineEnd(write(template, { values, files: [main.file], through: [] }), main);
  const text = stretches.map((stretch) => stretch.text).join("");
  const composition: Composition = { text, main, stretches, problems, ...used, input, withEdits };
  return composition;

  function withEdits(edits: readonly SourceEdit[]): Composition {
    const concerned = new Set(edits.map(({ range }) => range.source.file));
    if (![...concerned].some((file) => used.files.has(file))) return composition;
    const edited = new Map<Source, Source>();
    const afterEdits = (source: Source): Source => {
      const known = edited.get(source);
      if (known || !concerned.has(source.file)) return known ?? source;
      const after = openSource(source.file, editSource(source, edits) ?? source.text);
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

  function write(from: Template, scope: Scope): Stretch[] {
    const { source, parts } = from;
    used.files.add(source.file);
    if (!reported.has(from)) problems.push(...from.problems);
    reported.add(from);
    return parts.flatMap((part) => {
      const range = { source, start: part.start, end: part.end };
      if (part.is === "partial") return writePartial(part, range, scope);
      const { is } = part;
      const text =
        is === "text" ? source.text.slice(part.start, part.end) : valueNamed(part.name, range, scope);
      const ofProject = is === "variable" && scope.values.get(part.name) === values.get(part.name);
      return text ? { is, text, range, indent: "", ofProject, through: scope.through } : [];
    });
  }

  function writePartial(part: Part & { is: "partial" }, tag: SourceRange, scope: Scope): Stretch[] {
    partials += 1;
    if (partials === maxPartials + 1)
      problem("template-size", `the text has more than ${maxPartials} partials`, tag, "use fewer");
    const file = partials <= maxPartials ? partial(part.name, tag) : undefined;
    if (!file) return [];
    const files = [...scope.files, file.file];
    if (scope.files.includes(file.file)) {
      const way = files.slice(files.indexOf(file.file)).join(" → ");
      problem("partial-cycle", `partials include each other: ${way}`, tag, "remove one of them");
      return [];
    }
    const inner = new Map(scope.values);
    const unused = new Map(part.arguments);
    for (const [name, given] of part.arguments) {
      const text = "text" in given ? given.text : valueNamed(given.variable, given, scope);
      inner.set(name, { text, markUsed: () => unused.delete(name) });
    }
    const inside = write(parseTemplate(file), { values: inner, files, through: [...scope.through, tag] });
    for (const [name, range] of unused) {
      const message = `${file.file} does not use the argument ${name}`;
      problems.push({ severity: "warning", code: "unused-argument", message, range });
    }
    if (part.indent && /[^\n]$/.test(file.text) && /\S/.test(tag.source.text.slice(tag.end))) {
      const message = `${file.file} does not end with a line end, so that the next line joins its last one`;
      const hint = "end the file with a line end";
      problems.push({ severity: "warning", code: "joined-lines", message, range: tag, hint });
    }
    // Alone on its line, it ends that line itself.
    return part.indent ? indented(inside, part.indent, scope.through) : withoutLastLineEnd(inside, file);
  }

  function valueNamed(name: string, range: SourceRange, { values: known }: Scope): string | undefined {
    const value = known.get(name);
    value?.markUsed();
    if (value) return value.text;
    const meant = nearest(name, [...known.keys()]);
    const hint = meant
      ? `did you mean "${meant}"?`
      : "add it to the variables, or give it as an argument of the partial";
    return problem("unknown-variable", `there is no variable ${name}`, range, hint);
  }
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
export function editSource(source: Source, edits: readonly SourceEdit[]): string | undefined {
  const own = edits.filter(({ range }) => range.source === source);
  return applySplices(source.text, own.map(toSplice));
}

export function toSplice({ range: { start, end }, text }: SourceEdit): Splice {
  return { start, end, text };
}

/** As of the text of every file: the line end at its end, or that of a partial which has taken its place. */
function withoutLastLineEnd(stretches: readonly Stretch[], { text: written }: Source): Stretch[] {
  const last = stretches.at(-1);
  if (!written.endsWith("\n") || !last?.text.endsWith("\n")) return [...stretches];
  const text = last.text.slice(0, -1);
  const end = last.is === "text" ? last.range.end - 1 : last.range.end;
  return [...stretches.slice(0, -1), ...(text ? [{ ...last, text, range: { ...last.range, end } }] : [])];
}

/** With the indentation of a partial's tag before each of its lines; the lines of a variable's value stay as they are. */
function indented(stretches: readonly Stretch[], range: SourceRange, through: Stretch["through"]): Stretch[] {
  const indent = range.source.text.slice(range.start, range.end);
  if (indent === "") return [...stretches];
  const start: Stretch = { is: "indent", text: indent, indent: "", range, through };
  let isLineStart = true;
  return stretches.flatMap((stretch) => {
    if (stretch.is !== "text") {
      const before = isLineStart ? [start] : [];
      isLineStart = false;
      return [...before, stretch];
    }
    let from = stretch.range.start;
    return stretch.text.split(/(?<=\n)/).flatMap((text) => {
      const place = { ...stretch.range, start: from, end: from + text.length };
      const line = { ...stretch, text, indent: indent + stretch.indent, range: place };
      from += text.length;
      const before = isLineStart ? [start] : [];
      isLineStart = text.endsWith("\n");
      return [...before, line];
    });
  });
}
