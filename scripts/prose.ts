/**
 * Reports habits listed in `prose.yaml` that make comments, messages, test titles and pages sound translated. It cannot
 * find new habits. `--count` prints habits per 1,000 words, and `--root FOLDER` reads another checkout.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { Lexer } from "marked";
import { parseSync, Visitor } from "oxc-parser";
import { globSync } from "tinyglobby";
import { parse } from "yaml";
import { readOptions } from "./options.js";

type Passage = readonly [sort: string, start: number, text: string];
interface Rules {
  files: string[];
  ignored: string[];
  habits: { find: string; write: string; in?: string[] }[];
  /** Passages in which a habit is legitimate, by file. */
  allowed: Record<string, string[]>;
}

const contributors = /^(AG|ARC|CON)[A-Z]+\.md$|^docs\/(rules|README)\.md$|^(test|scripts|packages)\//;
const options = { count: { type: "boolean" }, root: { type: "string", default: "." } } as const;
const { root, count } = readOptions("npm run lint:prose -- [--count] [--root FOLDER]", { options }).values;
const rules = parse(readFileSync(new URL("prose.yaml", import.meta.url), "utf8")) as Rules;
const habits = rules.habits.map((habit) => ({ ...habit, find: new RegExp(habit.find, "gim") }));

function readSource(file: string, source: string): Passage[] {
  const { comments, program } = parseSync(file, source);
  const passages = comments.map(({ value, start }): Passage => ["comments", start, value]);
  const titles = new Set<number>();
  function addString(start: number, text: string): void {
    if (titles.has(start)) passages.push(["titles", start, text]);
    else if (!/(^|\/)test\//.test(file) && /(\w+ ){3}\w/.test(text)) passages.push(["messages", start, text]);
  }
  new Visitor({
    CallExpression({ callee, arguments: [title] }) {
      if (title && /^(describe|test|it)\b/.test(source.slice(callee.start, callee.end)))
        titles.add(title.start);
    },
    Literal: ({ start, value }) => typeof value === "string" && addString(start, value),
    TemplateLiteral: ({ start, quasis }) =>
      addString(start, quasis.map(({ value }) => value.cooked).join("VALUE")),
  }).visit(program);
  return passages;
}

function readPage(file: string, source: string): Passage[] {
  let end = 0;
  return Lexer.lex(source).flatMap(({ type, raw }): Passage[] => {
    end += raw.length;
    const sort = contributors.test(file) ? "contributors' pages" : "pages";
    return type === "code" || type === "html" ? [] : [[sort, end - raw.length, raw]];
  });
}

const found: Record<string, number> = {};
const words: Record<string, number> = {};
for (const file of globSync(rules.files, { cwd: root, ignore: rules.ignored }).sort()) {
  const source = readFileSync(path.join(root, file), "utf8");
  for (const [sort, start, text] of file.endsWith(".md")
    ? readPage(file, source)
    : readSource(file, source)) {
    const prose = text.replace(/^\s*\*+/gm, "").replace(/`[^`]+`/g, "CODE");
    words[sort] = (words[sort] ?? 0) + (prose.match(/\p{L}+/gu)?.length ?? 0);
    for (const { find, write, in: sorts } of habits)
      for (const { 0: habit, index } of sorts && !sorts.includes(sort) ? [] : prose.matchAll(find)) {
        const around = prose.slice(Math.max(0, index - 60), index + 60);
        if (rules.allowed[file]?.some((use) => around.includes(use))) continue;
        found[sort] = (found[sort] ?? 0) + 1;
        const line = source.slice(0, start).split("\n").length + prose.slice(0, index).split("\n").length - 1;
        if (!count) console.error(`${file}:${line}: "${habit.trim()}". Write ${write}.`);
      }
  }
}
for (const [sort, all] of Object.entries(words))
  console.log(`${sort}: ${(((found[sort] ?? 0) * 1000) / all).toFixed(1)} habits per 1,000 words`);
if (!count && Object.keys(found).length > 0) process.exitCode = 1;
