import fc from "fast-check";
import { openSourceFile, type SourceFile } from "../../src/base/diagnostics/index.js";
import { applySplices } from "../../src/base/text/index.js";
import {
  type ComposeInput,
  type Composition,
  compose,
  loadParser,
  type SourceEdit,
  toSplice,
} from "../../src/core/templates/index.js";

await loadParser();

/** Files by name and variable values. `main` includes the other files. */
export interface Written {
  readonly files: Readonly<Record<string, string>>;
  readonly variables: Readonly<Record<string, string>>;
}

/** Composes `main`. Unknown file names are missing partials. */
export function composeWritten(written: Written): Composition {
  const [main] = composeAll(written, ["main"]);
  return main as Composition;
}

export function composeAll({ files, variables }: Written, mains: readonly string[]): readonly Composition[] {
  const sources = new Map(Object.entries(files).map(([name, text]) => [name, openSourceFile(name, text)]));
  const partial: ComposeInput["findPartial"] = (name) => sources.get(name);
  const values = new Map(Object.entries(variables));
  return mains.map((name) =>
    compose(sources.get(name) as SourceFile, { variables: values, findPartial: partial }),
  );
}

/** Returns the files after edits. */
export function applyEdits({ files, variables }: Written, edits: readonly SourceEdit[]): Written {
  const sources = new Map(edits.map(({ range: { source } }) => [source.file, source]));
  const after = Array.from(sources, ([file, { text }]) => {
    const own = edits.filter(({ range }) => range.source.file === file);
    return [file, applySplices(text, own.map(toSplice))] as const;
  });
  return { files: { ...files, ...Object.fromEntries(after) } as Written["files"], variables };
}

const names = ["a", "b-c", "größe", "d_1"];
const plain = [
  "word",
  "Be kind. ",
  " ",
  "\n",
  "  ",
  "\t",
  "\r\n",
  "\n\n",
  "${name}",
  "# h",
  "<b>&\"'",
  "é😀",
  // Unlike the Mustache specification, Handlebars treats U+2028 as a space next to a standalone tag.
  "a\u2028b",
];
const braces = ["\\{{", "\\{{a}}", "{", "}", "}}", "\\", "\\\\{{a}}"];
const comments = ["{{! c }}", "{{!-- a }} b --}}", "{{!}}", "{{! two\nlines }}"];
const generateOne = (of: readonly string[]) => fc.constantFrom(...of);
const given = fc.tuple(
  generateOne(["", ' a="x"', ' a="x {{ y" ', " a='\"'", ' a="\u2029"']),
  generateOne(["", " größe=a"]),
);

/** Generates text with tags for partials of the next level. A partial that ends with a newline gets its own line. */
function generateText(level: number, maxLength: number): fc.Arbitrary<string> {
  const tag = fc.oneof(
    { weight: 6, arbitrary: generateOne(plain) },
    { weight: 2, arbitrary: generateOne(braces) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(generateOne(["", " "]), generateOne(names))
        .map(([pad, name]) => `{{${pad}${name}}}`),
    },
    { weight: 1, arbitrary: generateOne(comments) },
    ...(level < 3
      ? [
          {
            weight: 1,
            arbitrary: fc
              .tuple(generateOne(["p", "q"]), given)
              .map(([name, args]) => `{{> ${name}${level + 1}${args.join("")}}}`),
          },
          {
            weight: 1,
            arbitrary: fc
              .tuple(generateOne(["", "  ", "\t"]), generateOne(["", " "]))
              .map(([indent, pad]) => `\n${indent}{{> s${level + 1}}}${pad}\n`),
          },
        ]
      : []),
  );
  return fc.array(tag, { maxLength }).map((parts) => parts.join(""));
}

const trimNewlines = (file: string) => file.replace(/(\r?\n)+$/, "");

/** Generates compositions of up to four levels, well formed except for random braces. */
export const written: fc.Arbitrary<Written> = fc
  .tuple(
    generateText(0, 14),
    ...[1, 2, 3].flatMap((level) => [
      generateText(level, 8).map(trimNewlines),
      generateText(level, 8).map(trimNewlines),
      generateText(level, 8).map((file) => `${file}\n`),
    ]),
    generateOne(["", "D"]),
  )
  .map(([main, p1, q1, s1, p2, q2, s2, p3, q3, s3, d]) => ({
    files: { main, p1, q1, s1, p2, q2, s2, p3, q3, s3 } as Record<string, string>,
    variables: { a: "A", "b-c": "<B>", größe: "{{a}}", d_1: d as string },
  }))
  // Skips triple braces, which Handlebars supports and avatarops does not.
  .filter(({ files }) => !Object.values(files).some((file) => file.includes("{{{")));

const sentences = [
  "You help with returns, politely and briefly.",
  "Die Rückgabe ist kostenlos. Frag nach der Bestellnummer!",
  "Возврат стоит {{price}}, и срок — тридцать дней.",
  "返品は三十日以内にお願いします。",
  "The visitor is ${customer_name}; a return costs {{price}}.",
  "- Never promise a date.",
  "## Steps",
  "{{> rules}}",
  '  {{> steps item="ring"}}',
  "",
];

/** Generates two realistic prompts that mix four writing systems. Each prompt uses every partial once. */
export const prompts: fc.Arbitrary<Written> = fc
  .tuple(
    fc.shuffledSubarray(sentences, { minLength: 4 }),
    fc.shuffledSubarray(sentences, { minLength: 4 }),
    fc.shuffledSubarray(sentences.slice(0, 7), { minLength: 1 }),
    fc.shuffledSubarray(["Send the {{item}} back.", "Пришлите {{item}} нам.", "Wait for {{price}}."], {
      minLength: 1,
    }),
    generateOne(["\n", "\r\n"]),
  )
  .map(([main, other, rules, steps, end]) => ({
    files: Object.fromEntries(
      Object.entries({ main, other, rules, steps }).map(([name, lines]) => [name, lines.join(end) + end]),
    ),
    variables: { price: "9 EUR" },
  }));
