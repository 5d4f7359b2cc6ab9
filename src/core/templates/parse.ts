import type { AST } from "@handlebars/parser";
import type { SourceFile, SourceRange } from "../../base/diagnostics/index.js";

export interface TemplateProblem {
  readonly severity: "error" | "warning";
  readonly code: string;
  readonly message: string;
  readonly range: SourceRange;
  readonly hint?: string | undefined;
}

/** Partial argument, either literal text or a variable name. */
export type Argument = SourceRange & ({ readonly text: string } | { readonly variable: string });

/** A part of a template. Offsets in the file are in UTF-16 code units. */
export type TemplatePart =
  /** Literal characters, exactly as in the file. */
  | { readonly is: "text"; readonly start: number; readonly end: number }
  | { readonly is: "variable"; readonly start: number; readonly end: number; readonly name: string }
  | {
      readonly is: "partial";
      readonly start: number;
      readonly end: number;
      readonly name: string;
      readonly arguments: ReadonlyMap<string, Argument>;
      /** Indentation of a tag that is alone on its line. It is added to each line of the partial. */
      readonly indent?: SourceRange;
    };

/** A parsed file. */
export interface Template {
  readonly source: SourceFile;
  readonly parts: readonly TemplatePart[];
  readonly problems: readonly TemplateProblem[];
}

let parser: typeof import("@handlebars/parser") | undefined;

/** Loads the parser on demand, because most projects have no templates. Await this before composing a template. */
export async function loadParser(): Promise<void> {
  parser ??= await import("@handlebars/parser");
}

/** Parsed templates by start offset, because a file can be both an object's file and a partial. */
const parsed = new WeakMap<SourceFile, Map<number, Template>>();

/**
 * Parses a template in a subset of Handlebars: `{{> partial}}`, `{{variable}}`, `{{! comment }}` and `\{{` for literal
 * braces. Nothing is compiled or evaluated.
 *
 * @param start Offset of the text, after front matter.
 */
export function parseTemplate(source: SourceFile, start = 0): Template {
  const known = parsed.get(source) ?? new Map<number, Template>();
  parsed.set(source, known);
  const template = known.get(start) ?? parseFrom(source, start);
  known.set(start, template);
  return template;
}

/**
 * Line separators that make the parser miscount columns. They are replaced with characters that never occur in text.
 */
const separators = [
  ["\u2028", "\uFFFE"],
  ["\u2029", "\uFFFF"],
] as const;

function parseFrom(source: SourceFile, start: number): Template {
  const problems: TemplateProblem[] = [];
  const hidden = separators.reduce((text, [from, to]) => text.replaceAll(from, to), source.text.slice(start));
  const offsetAt = createOffsetReader(hidden, start);
  const toRange = ({ start: from, end }: AST.SourceLocation): SourceRange => ({
    source,
    start: offsetAt(from),
    end: offsetAt(end),
  });
  const reportProblem = (message: string, range: SourceRange, hint = syntaxHint): undefined => {
    problems.push({ severity: "error", code: "template-syntax", message, range, hint });
  };
  let body: readonly AST.Statement[];
  if (!parser) throw new Error("Bug: the template parser is not loaded");
  try {
    ({ body } = parser.parseWithoutProcessing(hidden));
  } catch (error) {
    const at = offsetAt(readPosition(error as ParserError));
    const message = "not a partial, variable or comment, or the closing }} is missing";
    reportProblem(message, { source, start: at, end: Math.min(at + 2, source.text.length) });
    return { source, parts: [], problems };
  }
  const parts: TemplatePart[] = [];
  let done = start;
  const dropped = /\\(?=\{\{)|\r(?=\n)/g;
  const findNextDropped = () => dropped.exec(source.text)?.index ?? source.text.length;
  let next = findNextDropped();
  for (const statement of body) {
    if (statement.type === "ContentStatement") continue;
    const range = toRange(statement.loc);
    // A tag alone on its line replaces the whole line.
    const line = statement.type === "MustacheStatement" ? undefined : findLine(source.text, range, start);
    addText(line?.start ?? range.start);
    const part = toPart(statement, range);
    const indent = line && { source, start: line.start, end: range.start };
    if (part) parts.push(part.is === "partial" && indent ? { ...part, indent } : part);
    done = line?.end ?? range.end;
  }
  addText(source.text.length);
  return { source, parts, problems };

  /** Adds the characters up to `end`. Drops `\` before braces, and carriage returns before line feeds. */
  function addText(end: number): void {
    while (done < end) {
      while (next < done) next = findNextDropped();
      const to = Math.min(next, end);
      if (to > done) parts.push({ is: "text", start: done, end: to });
      done = to + 1;
    }
  }

  function toPart(statement: AST.Statement, range: SourceRange): TemplatePart | undefined {
    if (isTrimming(statement)) return reportProblem("~ is not supported in templates", range);
    if (isComment(statement)) return undefined;
    const { start: from, end } = range;
    if (isVariable(statement)) {
      const name = readVariableName(statement.path);
      const hasMore = statement.params.length > 0 || statement.hash !== undefined;
      if (name !== undefined && statement.escaped && !hasMore)
        return { is: "variable", start: from, end, name };
      return reportProblem(`${source.text.slice(from, end)} is not a variable name`, range);
    }
    if (!isPartial(statement)) return reportProblem("blocks and decorators are not supported", range);
    const { name } = statement;
    const named = name.type === "StringLiteral" ? (name as AST.StringLiteral).value : "";
    const path = name.type === "PathExpression" ? (name as AST.PathExpression).original : named;
    if (path === "" || statement.params.length > 0)
      return reportProblem('a partial needs a name, and takes only arguments such as key="value"', range);
    const pairs = statement.hash?.pairs ?? [];
    return { is: "partial", start: from, end, name: path, arguments: readArguments(pairs) };
  }

  function readArguments(pairs: readonly AST.HashPair[]): ReadonlyMap<string, Argument> {
    const given = new Map<string, Argument>();
    for (const { key, value, loc } of pairs) {
      const range = toRange(loc);
      const variable = readVariableName(value);
      if (given.has(key)) reportProblem(`the argument ${key} is given twice`, range, "remove one");
      else if (value.type === "StringLiteral") {
        const { value: text } = value as AST.StringLiteral;
        given.set(key, {
          ...range,
          text: separators.reduce((all, [to, from]) => all.replaceAll(from, to), text),
        });
      } else if (variable !== undefined) given.set(key, { ...range, variable });
      else reportProblem(`the value of ${key} is neither a string nor a variable`, range, `write ${key}="…"`);
    }
    return given;
  }
}

const syntaxHint = "write {{> partial}}, {{variable}} or {{! comment }}, and \\{{ for two literal braces";

type ParserError = Error & {
  readonly lineNumber?: number;
  readonly column?: number;
  readonly hash?: { readonly loc?: { readonly last_line: number; readonly last_column: number } };
};

function readPosition({ lineNumber, column, hash }: ParserError): AST.Position {
  return { line: lineNumber ?? hash?.loc?.last_line ?? 1, column: column ?? hash?.loc?.last_column ?? 0 };
}

/**
 * Returns a function that converts the parser's lines and columns to offsets in a file whose text begins at `start`.
 */
function createOffsetReader(text: string, start: number): (position: AST.Position) => number {
  const lines = [0];
  for (const { index, 0: end } of text.matchAll(/\r\n?|\n/g)) lines.push(index + end.length);
  return ({ line, column }) => start + (lines[line - 1] ?? 0) + column;
}

/** Returns the line of a tag, including its line ending, if the tag is alone on the line. */
export function findLine(text: string, tag: SourceRange, start: number) {
  let from = tag.start;
  while (from > start && (text[from - 1] === " " || text[from - 1] === "\t")) from -= 1;
  if (from > start && text[from - 1] !== "\n") return undefined;
  const behind = /[ \t]*(?:\r?\n|$)/y;
  behind.lastIndex = tag.end;
  return behind.test(text) ? { start: from, end: behind.lastIndex } : undefined;
}

function isTrimming(statement: AST.Statement): boolean {
  const { strip } = statement as Partial<AST.MustacheStatement>;
  return Boolean(strip?.open || strip?.close);
}

function isComment(statement: AST.Statement): statement is AST.CommentStatement {
  return statement.type === "CommentStatement";
}

function isVariable(statement: AST.Statement): statement is AST.MustacheStatement {
  return statement.type === "MustacheStatement";
}

function isPartial(statement: AST.Statement): statement is AST.PartialStatement {
  return statement.type === "PartialStatement";
}

/** Reads a single name. Returns undefined for paths, literals, `this` and `@data`. */
function readVariableName(expression: AST.Expression): string | undefined {
  if (expression.type !== "PathExpression") return undefined;
  const { original } = expression as AST.PathExpression;
  return variablePattern.test(original) && original !== "this" ? original : undefined;
}

/** Pattern for valid variable and argument names. */
export const variablePattern = /^[\p{L}_][\p{L}\p{N}_-]*$/u;
