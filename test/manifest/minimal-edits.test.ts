import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { Value } from "../../src/core/kinds/index.js";
import { editFiles } from "../../src/core/manifest/index.js";
import { scaleRuns } from "../real/long.js";
import { createProjectFolder } from "./project.js";
import "../fuzz.js";

const file = "avatarops.yaml";

/** Edits a field of context.t. Returns the new file or the reason for a rejection. */
function edit(text: string, field: string, value: Value, before?: Value): string {
  const origin = { at: "yaml", file, path: ["contexts", "t", field] } as const;
  const { files, refused } = editFiles(createProjectFolder({ [file]: text }), [{ origin, value, before }]);
  return refused[0]?.reason ?? files[0]?.after ?? text;
}

const word = fc.constantFrom("Be", "kind", "prices", "it's", "two.", "hello,", "naïve", "Bye");
const line = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(" "));
const texts = fc.record({
  lines: fc.array(line, { minLength: 2, maxLength: 6 }),
  at: fc.nat(5),
  to: line,
  blank: fc.nat(4),
  indent: fc.constantFrom(1, 2, 4, 7),
  lineEnd: fc.constantFrom("\n", "\r\n"),
  ending: fc.constantFrom("", "\n", "\n    opening_text: hi # keep\n", "\n\n    # below\n    name: T\n"),
});

/** Syntax of each YAML string style. A blank line begins a paragraph. */
const styles = {
  "literal block": { open: "|-", close: "", join: "\n", paragraph: "\n\n", escape: (text: string) => text },
  "folded block": { open: ">-", close: "", join: " ", paragraph: "\n", escape: (text: string) => text },
  plain: { open: "", close: "", join: " ", paragraph: "\n", escape: (text: string) => text },
  "single-quoted": {
    ...{ open: "'", close: "'", join: " ", paragraph: "\n" },
    escape: (text: string) => text.replaceAll("'", "''"),
  },
  "double-quoted": {
    ...{ open: '"', close: '"', join: " ", paragraph: "\n" },
    escape: (text: string) => text.replaceAll("ï", "\\u00ef"),
  },
};

describe.each(Object.entries(styles))("edit to one line in a %s string", (style, facts) => {
  test("changes only one line of the file", () => {
    fc.assert(
      fc.property(texts, ({ lines: given, at, to: newLine, blank, indent, lineEnd, ending }) => {
        // In joined lines, equal words would make the edited word ambiguous.
        const isJoined = facts.join === " ";
        const number = (text: string, line: number) =>
          isJoined
            ? text
                .split(" ")
                .map((one, nth) => `${line}${nth}${one}`)
                .join(" ")
            : text;
        const lines = given.map(number);
        const to = number(newLine, at % 2 === 0 ? 9 : at % lines.length);
        const isBlock = style.endsWith("block");
        const margin = " ".repeat(4 + indent);
        const write = (all: readonly string[], toEscaped = facts.escape) => {
          const written = all.map((one, nth) => {
            const above = nth > 0 && nth === blank ? lineEnd : "";
            const isFirst = nth === 0 && !isBlock;
            return `${above}${isFirst ? "" : margin}${toEscaped(one)}`;
          });
          const open = isBlock ? `${facts.open}${lineEnd}` : facts.open;
          const text = `# head\ncontexts:\n  t:\n    prompt: `.replaceAll("\n", lineEnd);
          return `${text}${open}${written.join(lineEnd)}${facts.close}${ending.replaceAll("\n", lineEnd)}`;
        };
        const read = (all: readonly string[]) =>
          all
            .map((one, nth) => (nth === 0 ? "" : nth === blank ? facts.paragraph : facts.join) + one)
            .join("");
        const changed = lines.with(at % lines.length, to);
        const after = edit(write(lines), "prompt", read(changed), read(lines));
        if (!isJoined) expect(after).toBe(write(changed));
        const [old, now] = [write(lines), after].map((text) => text.split(lineEnd)) as [string[], string[]];
        expect(now.length).toBe(old.length);
        expect(now.filter((one, nth) => one !== old[nth]).length).toBeLessThanOrEqual(1);
      }),
    );
  });
});

const blocks = fc.record({
  lines: fc.array(fc.tuple(fc.constantFrom("", "", "  ", "    "), line, fc.nat(2)), {
    minLength: 2,
    maxLength: 6,
  }),
  at: fc.nat(5),
  to: line,
  chomp: fc.constantFrom("", "-", "+"),
  /** Number of newlines at the end of the new string. */
  newlines: fc.nat(2),
  blank: fc.nat(1),
  indent: fc.constantFrom(1, 2, 4, 7),
  lineEnd: fc.constantFrom("\n", "\r\n"),
  next: fc.constantFrom("", "    opening_text: hi # keep\n"),
  removes: fc.boolean(),
});

describe.each([
  ["literal", "|"],
  ["folded", ">"],
])("edit to one line in a %s block", (_style, open) => {
  test("changes only the edited line and the header", () => {
    fc.assert(
      fc.property(blocks, ({ lines, at, to, chomp, newlines, blank, indent, lineEnd, next, removes }) => {
        const margin = " ".repeat(4 + indent);
        // The first line sets the block's indentation. The numbers keep the lines distinct, so the edit is unambiguous.
        const written = lines.map(
          ([space, text, blanks], nth) =>
            `${margin}${nth === 0 ? "" : space}${nth} ${text}\n${"\n".repeat(nth < lines.length - 1 ? blanks : blank)}`,
        );
        const head = `# head\ncontexts:\n  t:\n    prompt: ${open}`;
        const source = `${head}${chomp} # about\n${written.join("")}${next}`;
        const text: string = parse(source).contexts.t.prompt;
        const edited = text.trimEnd().split("\n");
        const full = edited.flatMap((one, nth) => (one.trim() === "" ? [] : [nth]));
        const changed = full[at % full.length] ?? 0;
        const own = edited[changed] ?? "";
        edited[changed] = removes ? own.slice(0, own.trimEnd().lastIndexOf(" ")) : `${own} ${to}`;
        const now = edited.join("\n") + "\n".repeat(newlines);
        const after = edit(source.replaceAll("\n", lineEnd), "prompt", now, text);
        expect(parse(after)).toEqual({
          contexts: { t: { prompt: now, ...(next && { opening_text: "hi" }) } },
        });
        // If the edit removes a fold, its words move to one line.
        const [was, is] = [source, after].map((one) => one.trimEnd().split(/\r?\n/)) as [string[], string[]];
        const isWritten = (one: string) => was.includes(one);
        expect(is.filter((one) => one.trim() !== "" && !isWritten(one)).length).toBeLessThanOrEqual(2);
        expect(is.find((one) => one.includes("prompt:"))).toMatch(
          new RegExp(`^    prompt: \\${open}[-+]? # about$`),
        );
        const count = (all: string[]) => all.filter((one) => one.trim() !== "").length;
        expect(count(was) - count(is)).toBeLessThanOrEqual(removes ? 1 : 0);
        expect(count(is)).toBeLessThanOrEqual(count(was));
      }),
    );
  });
});

test("replaces any multi-line string with any other", () => {
  const text = fc
    .array(fc.constantFrom("\n", "\n", "\n\n", " ", "  ", "a", "b c", "---", "# d"), { maxLength: 9 })
    .map((parts) => parts.join(""));
  const next = fc.constantFrom("", "    name: T\n");
  fc.assert(
    fc.property(text, text, next, (first, second, below) => {
      const once = edit(`contexts:\n  t:\n    prompt: x\n${below}`, "prompt", first, "x");
      const twice = edit(once, "prompt", second, first);
      expect(parse(twice).contexts.t).toEqual({ prompt: second, ...(below && { name: "T" }) });
    }),
    { numRuns: scaleRuns(300) },
  );
});

test("turns a block string into a quoted string if the new text contains a control character", () => {
  const text = "contexts:\n  t:\n    prompt: |\n        Be kind.\n        Be brief.\n    name: T\n";
  const now = "Be kind.\u0007\nBe brief.\n";
  expect(parse(edit(text, "prompt", now)).contexts.t).toEqual({ prompt: now, name: "T" });
});

interface Link {
  readonly url: string;
  readonly faq: string;
}

const links = fc.record({
  entries: fc.array(fc.record({ url: fc.constantFrom<string>("a", "b", "c"), faq: line }), {
    minLength: 1,
    maxLength: 4,
  }),
  at: fc.nat(3),
  faq: line,
  indent: fc.constantFrom(0, 2, 4),
  isFile: fc.nat(3),
  ending: fc.constantFrom("", "\n", "\n    # below\n    name: T\n"),
});

/** Link list styles. Comments and `!file` values must stay. */
const listStyles = {
  block: ({ url, faq }: Link, margin: string) =>
    `# about ${url}\n${margin}- url: '${url}' # keep\n${margin}  faq: ${faq}`,
  "braces in a block": ({ url, faq }: Link, margin: string) =>
    `# about ${url}\n${margin}- { faq: ${faq}, url: "${url}" } # keep`,
};

describe.each(Object.entries(listStyles))("edit to one link in a list (%s)", (_style, writeLink) => {
  const quote = (text: string) => JSON.stringify(text);

  test("changes or adds only the link's lines", () => {
    fc.assert(
      fc.property(links, ({ entries, at, faq, indent, isFile, ending }) => {
        const margin = " ".repeat(4 + indent);
        const toSource = ({ url, faq }: Link, nth: number) =>
          writeLink({ url, faq: nth === isFile ? "!file faq.md" : quote(faq) }, margin);
        const write = (all: readonly Link[]) =>
          `contexts:\n  t:\n    links:\n${all.map((one, nth) => `${margin}${toSource(one, nth)}`).join("\n")}${ending}`;
        const nth = at % entries.length;
        const changed = entries.with(nth, { ...(entries[nth] as Link), faq });
        const after = edit(write(entries), "links", changed as never, entries as never);
        const isSame = entries[nth]?.faq === faq;
        const isTwice = [entries, changed].some(
          (list) => list.filter((one) => isDeepStrictEqual(one, list[nth])).length > 1,
        );
        const refusal =
          /^the (list has comments that would be lost|edit would replace the part of the list that comes from !file), so /;
        if (nth === isFile && !isSame && !isTwice)
          expect(after).toBe("it comes from !file faq.md, so edit that file by hand");
        // Equal links before or after the edit look the same, so the edit may be rejected.
        else if (isTwice && !isSame && after !== write(changed)) expect(after).toMatch(refusal);
        else expect(after).toBe(write(changed));
        const more = [...entries, { url: "new", faq: "New." }];
        const added = edit(write(entries), "links", more as never, entries as never);
        const lines = `\n${margin}- url: new\n${margin}  faq: New.`;
        expect(added).toBe(write(entries).slice(0, write(entries).length - ending.length) + lines + ending);
      }),
    );
  });
});

test("adds a declaration without separating the next section from its comment", () => {
  const next = "\n# Keys of providers.\nsecrets: {}\n";
  const text = `contexts:\n  t:\n    name: Old\n    # opening_text: not used\n${next}`;
  const origin = { at: "yaml", file, path: ["contexts", "new", "name"] } as const;
  const { files } = editFiles(createProjectFolder({ [file]: text }), [{ origin, value: "New" }]);
  expect(files[0]?.after).toBe(text.replace(next, `  new:\n    name: New\n${next}`));
});
