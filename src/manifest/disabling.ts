import type { Source, SourceRange } from "../diagnostics/index.js";
import { isCode } from "./is-code.js";
import type { Declaration } from "./manifest.js";
import { childrenOf, type Node } from "./node.js";
import { isRule, ruleHint } from "./policies.js";
import type { RuleName } from "./policy-form.js";
import type { Reading } from "./reading.js";

/*
 * Comments that switch rules off. They are comments of YAML (of a Markdown file's front matter, too) and of TypeScript,
 * never of a prompt: the whole text of a prompt is sent, so a comment in it would be said to the avatar; and if it were
 * cut out, the text of the file would not be the text of the account, which `pull` writes back.
 */

/** A comment that switches a rule off. */
export interface DisableComment {
  readonly rule: RuleName;
  readonly range: SourceRange;
  /** The objects, or fields of them, that it is about. */
  readonly covers: readonly DisableTarget[];
}

/** An object, or one field of it. */
export interface DisableTarget {
  readonly address: string;
  readonly field?: string;
}

/** What an untrusted change may keep of its base. */
export function disableKey(rule: string, { address, field = "" }: DisableTarget): string {
  return JSON.stringify([rule, address, field]);
}

/** The comments in the files of declarations; reports those that say nothing, or in the wrong place. */
export function disableComments(
  declarations: readonly Declaration[],
  nodeOf: (declaration: Declaration) => Node | undefined,
  reading: Reading,
): DisableComment[] {
  const bySource = new Map<Source, Declaration[]>();
  for (const declaration of declarations) {
    const { source } = declaration.range;
    const own = bySource.get(source);
    if (own) own.push(declaration);
    else if (source.text.includes(word)) bySource.set(source, [declaration]);
  }
  return [...bySource].flatMap(([source, own]) => {
    const texts = own.flatMap((declaration) => scalarsIn(nodeOf(declaration)));
    return linesOf(source).flatMap((written, line, lines) => {
      const comment = commentIn(written, source);
      return comment ? coverage(comment, line, lines, { source, own, texts, reading }) : [];
    });
  });
}

/** The marks in texts that look as if they switched a rule off. */
export function marksIn(text: string): { readonly start: number; readonly end: number }[] {
  return Array.from(text.matchAll(/avatarops-disable(?:-next-line)?\b/g), ({ index, 0: mark }) => ({
    start: index,
    end: index + mark.length,
  }));
}

const word = "avatarops-disable";

interface Line {
  readonly start: number;
  readonly text: string;
}

interface Comment {
  readonly range: SourceRange;
  readonly isForNextLine: boolean;
  readonly rules: readonly string[];
  readonly reason: string;
}

/** A file with comments in it, and what it declares. */
interface Commented {
  readonly source: Source;
  readonly own: readonly Declaration[];
  /** The texts in it, which have no comments. */
  readonly texts: readonly SourceRange[];
  readonly reading: Reading;
}

function linesOf({ text }: Source): Line[] {
  let start = 0;
  return text.split("\n").map((line) => {
    const at = start;
    start += line.length + 1;
    return { start: at, text: line };
  });
}

function commentIn({ start, text }: Line, source: Source): Comment | undefined {
  const line = text.trim();
  const mark = isCode(source.file) ? "//" : "#";
  if (!line.startsWith(mark)) return undefined;
  const [, next, rest = ""] =
    /^avatarops-disable(-next-line)?(?![\w-])(.*)$/.exec(line.slice(mark.length).trim()) ?? [];
  if (!line.slice(mark.length).trim().startsWith(word)) return undefined;
  const [names = "", ...reason] = rest.split(":");
  return {
    range: { source, start: start + text.indexOf(mark), end: start + text.trimEnd().length },
    isForNextLine: next !== undefined,
    rules: names
      .split(/[\s,]/)
      .map((name) => name.trim())
      .filter((name) => name !== ""),
    reason: reason.join(":").trim(),
  };
}

function coverage(
  comment: Comment,
  line: number,
  lines: readonly Line[],
  { source, own, texts, reading }: Commented,
): DisableComment[] {
  const { range, rules, reason, isForNextLine } = comment;
  const { collector } = reading;
  if (texts.some(({ start, end }) => start <= range.start && range.start < end)) return [];
  const example = `write ${isForNextLine ? `${word}-next-line` : word} ${rules[0] ?? "rule"}: why`;
  if (rules.length === 0) collector.error("invalid-exception", "the comment names no rule", range, example);
  else if (reason === "")
    collector.error("missing-reason", "the comment gives no reason for its exception", range, example);
  for (const rule of rules) {
    if (isRule(rule)) continue;
    collector.error("unknown-rule", `there is no rule ${JSON.stringify(rule)}`, range, ruleHint(rule));
  }
  if (reason === "") return [];
  const covers = isForNextLine
    ? onLine(nextLine(lines, line), source, own)
    : lines.slice(0, line).every((above, i) => isBlank(above) || (i === 0 && above.text.startsWith("---")))
      ? own.map(({ address }) => ({ address }))
      : undefined;
  if (covers === undefined) {
    const hint = `move it there, or write ${word}-next-line above what it is about`;
    collector.error("misplaced-exception", "a comment for the whole file must be at its top", range, hint);
    return [];
  }
  return rules.filter(isRule).map((rule) => ({ rule, range, covers }));
}

/** What is declared on a line: an object, or fields of one. */
function onLine(line: number, source: Source, own: readonly Declaration[]): DisableTarget[] {
  const isThere = (range: SourceRange) => range.source === source && source.place(range.start).line === line;
  return own.flatMap(({ address, range, keys = {} }): DisableTarget[] => {
    if (isThere(range)) return [{ address }];
    return Object.entries(keys).flatMap(([field, key]) => (isThere(key) ? [{ address, field }] : []));
  });
}

/** The 1-based line of the next content. In front matter, its end stands for the body. */
function nextLine(lines: readonly Line[], from: number): number {
  const at = lines.findIndex((line, i) => i > from && !isBlank(line));
  const isEnd = lines[at]?.text.trimEnd() === "---";
  return at + (isEnd ? 2 : 1);
}

function isBlank({ text }: Line): boolean {
  const line = text.trim();
  return line === "" || line.startsWith("#") || line.startsWith("//");
}

/** The texts of a value, with their places. */
function scalarsIn(node: Node | undefined): Node[] {
  if (!node) return [];
  return node.is === "scalar"
    ? node.at === "typescript"
      ? []
      : [node]
    : childrenOf(node).flatMap(scalarsIn);
}
