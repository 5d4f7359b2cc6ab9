import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import type { Change } from "../../src/core/engine/index.js";
import { outcomeDocument, planDocument } from "../../src/output/documents/index.js";
import { renderMarkdown, renderText } from "../../src/output/render/index.js";
import { change, everything, outcome, plan, tricky } from "./samples.js";

const plain = { color: false, width: 80 };
const coloured = { color: true, width: 80 };

test.each([
  ["a plan", (page: typeof plain) => renderText(planDocument(everything), page)],
  ["a plan of tricky texts", (page: typeof plain) => renderText(planDocument(tricky), page)],
  ["an outcome", (page: typeof plain) => renderText(outcomeDocument(outcome), page)],
])("the colours of %s say nothing that is not there without them", (_, text) => {
  expect(text(coloured)).not.toBe(text(plain));
  expect(stripVTControlCharacters(text(coloured))).toBe(text(plain));
});

type Field = Change["fields"][number];
const prose = (before: string, after: string): Field => {
  return { field: "prompt", type: "prose", before, after, cause: "drifted" };
};
const list: Field = {
  field: "links",
  type: "list",
  before: [{ url: "https://example.com/a" }],
  after: [{ url: "https://example.com/b" }],
  cause: "drifted",
};
const name: Field = { field: "name", type: "string", before: "Old", after: "New", cause: "drifted" };

function legends(...fields: Field[]): { text: string; markdown: string; marked: string } {
  const document = planDocument(
    plan([change({ address: "context.a", action: "update", reason: "drifted", overwrites: true, fields })]),
  );
  const text = renderText(document, { color: true, width: 120 });
  const line = (whole: string) => whole.split("\n").find((one) => one.includes("edited elsewhere;")) ?? "";
  const markdown = line(renderMarkdown(document));
  return {
    text: stripVTControlCharacters(line(text)).trim(),
    markdown: markdown.replace(/^\*\*.*?\*\* (.*?\.) .*$/, "$1"),
    marked: stripVTControlCharacters(text),
  };
}

describe("the legend of a drifted object names the signs that stand in its difference:", () => {
  test.each<[string, Field[], text: string, markdown: string]>([
    [
      "a text",
      [prose("Be very kind.", "Be kind.")],
      "[-…-] is live, edited elsewhere; {+…+} would overwrite it.",
      "~~struck out~~ (`-`) is live, edited elsewhere; **bold** (`+`) would overwrite it.",
    ],
    [
      "a list",
      [list],
      "− is live, edited elsewhere; + would overwrite it.",
      "`-` is live, edited elsewhere; `+` would overwrite it.",
    ],
    [
      "a name",
      [name],
      "left of → is live, edited elsewhere; right of → would overwrite it.",
      "left of → is live, edited elsewhere; right of → would overwrite it.",
    ],
    [
      "all of them",
      [name, prose("Be very kind.", "Be kind."), list],
      "left of → and [-…-] and − are live, edited elsewhere; right of → and {+…+} and + would overwrite it.",
      "left of → and ~~struck out~~ (`-`) and `-` are live, edited elsewhere; right of → and **bold** (`+`) and `+` would overwrite it.",
    ],
  ])("%s", (_, fields, text, markdown) => {
    expect(legends(...fields)).toMatchObject({ text, markdown });
  });
});

test("a text that has the marks in it cannot look like a change", () => {
  const before = "Never [-promise-] a {++refund++}. Be kind.";
  const { text, marked } = legends(prose(before, before.replace("kind", "quick")));
  expect(marked).toContain("Never [-promise-] a {++refund++}. Be [---kind---]{+++quick+++}.");
  expect(text).toContain("[---…---] is live, edited elsewhere; {+++…+++} would overwrite it.");
});
