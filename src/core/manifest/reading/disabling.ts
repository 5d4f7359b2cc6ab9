import type { Source, SourceRange } from "../../../base/diagnostics/index.js";
import { isRule, type RuleName, ruleHint } from "../forms/policy-form.js";
import { listChildren, type Node } from "../tree/node.js";
import { isCode } from "../tree/project-files.js";
import type { Reading } from "../tree/reading.js";
import type { Declaration } from "./manifest.js";

/*
 * Comments that switch rules off. They are comments of YAML (of a Markdown file's front matter, too) and of TypeScript,
 * never of a prompt: the whole text of a prompt is sent, so a comment in it would be said to the avatar; and if it were
 * cut out, the text of the file would not be the text of the account, which `pull` writes back.
 */

export interface DisableComment {
  readonly rule: RuleName;
  readonly range: SourceRange;
  /** The objects, or fields of them, that it is about. */
  readonly covers: readonly DisableTarget[];
}

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
  findNode: (declaration: Declaration) => Node | undefined,
  reading: Reading,
): DisableComment[] {
  const bySource = new Map<Source, Declaration[]>();
  for (const declaration of declarations) {
    const { source } = declaration.range;
    const own = bySource.get(source);
    if (own) own.push(declaration);
    else bySource.set(source, [declaration]);
  }
  return [...bySource].flatMap(([source, own]) => {
    if (!source.text.includes(word)) return [];
    const lines = splitLines(source);
    const texts = own
      .flatMap((declaration) => scalarsIn(findNode(declaration)))
      .filter((text) => text.source === source)
      .sort((a, b) => a.start - b.start);
    const firstContent = lines.findIndex(
      (line, i) => !isBlank(line) && !(i === 0 && line.text.startsWith("---")),
    );
    const commented: Commented = { lines, own, firstContent, declared: targetsByLine(source, own), reading };
    let next = 0;
    return lines.flatMap((written, line) => {
      const comment = commentIn(written, source);
      if (!comment) return [];
      while ((texts[next]?.end ?? Number.POSITIVE_INFINITY) <= comment.range.start) next += 1;
      const isInText = (texts[next]?.start ?? Number.POSITIVE_INFINITY) <= comment.range.start;
      return isInText ? [] : coverage(comment, line, commented);
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
  readonly lines: readonly Line[];
  readonly own: readonly Declaration[];
  /** The index of the line below which no comment is about the whole file; -1 if there is none. */
  readonly firstContent: number;
  /** What is declared on each line, counted from 1. */
  readonly declared: ReadonlyMap<number, readonly DisableTarget[]>;
  readonly reading: Reading;
}

function splitLines({ text }: Source): Line[] {
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
  { range, rules, reason, isForNextLine }: Comment,
  line: number,
  { lines, own, firstContent, declared, reading: { collector } }: Commented,
): DisableComment[] {
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
    ? (declared.get(nextLine(lines, line)) ?? [])
    : firstContent === -1 || line <= firstContent
      ? own.map(({ address }) => ({ address }))
      : undefined;
  if (covers === undefined) {
    const hint = `move it there, or write ${word}-next-line above what it is about`;
    collector.error("misplaced-exception", "a comment for the whole file must be at its top", range, hint);
    return [];
  }
  return rules.filter(isRule).map((rule) => ({ rule, range, covers }));
}

/** What is declared on each line, counted from 1: objects, or fields of them. */
function targetsByLine(source: Source, own: readonly Declaration[]): Map<number, DisableTarget[]> {
  const targets = new Map<number, DisableTarget[]>();
  const add = ({ start }: SourceRange, target: DisableTarget, except?: number): number => {
    const { line } = source.place(start);
    const known = targets.get(line);
    if (known && line !== except) known.push(target);
    else if (!known) targets.set(line, [target]);
    return line;
  };
  for (const { address, range, keys = {} } of own) {
    const line = add(range, { address });
    for (const [field, key] of Object.entries(keys)) {
      if (key.source === source) add(key, { address, field }, line);
    }
  }
  return targets;
}

/** The 1-based line of the next content. In front matter, its end stands for the body. */
function nextLine(lines: readonly Line[], from: number): number {
  let at = from + 1;
  while (at < lines.length && isBlank(lines[at] as Line)) at += 1;
  const isEnd = lines[at]?.text.trimEnd() === "---";
  return at + (isEnd ? 2 : 1);
}

function isBlank({ text }: Line): boolean {
  const line = text.trim();
  return line === "" || line.startsWith("#") || line.startsWith("//");
}

function scalarsIn(node: Node | undefined): Node[] {
  if (!node) return [];
  return node.is === "scalar"
    ? node.at === "typescript"
      ? []
      : [node]
    : listChildren(node).flatMap(scalarsIn);
}
