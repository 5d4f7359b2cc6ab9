import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { planDocument } from "../../src/output/documents/index.js";
import { renderMarkdown, renderText } from "../../src/output/render/index.js";
import { movedLines } from "../../src/output/render/prose-facts.js";
import { change, plan } from "./samples.js";

const paragraph = (name: string) => `The paragraph of ${name} has a whole sentence to itself.`;
const [a, b, c, d] = ["apples", "bread", "cheese", "dates"].map(paragraph) as [
  string,
  string,
  string,
  string,
];
const text = (...lines: string[]) => lines.join("\n");

describe("lines that moved are found:", () => {
  test.each<[string, before: string, after: string, unknown]>([
    ["none", text(a, b, c), text(a, b, c), []],
    ["one, down", text(a, b, c), text(b, c, a), [{ from: 1, to: 3, lines: 1 }]],
    ["one, up", text(a, b, c, d), text(a, d, b, c), [{ from: 4, to: 2, lines: 1 }]],
    [
      "two with a blank line between, as one",
      text(a, "", b, "", c, "", d, "", paragraph("eggs")),
      text(c, "", d, "", paragraph("eggs"), "", a, "", b),
      [{ from: 1, to: 7, lines: 3 }],
    ],
    ["one indented otherwise", text(a, b, c), text(b, c, `  ${a}`), [{ from: 1, to: 3, lines: 1 }]],
    ["none that stands twice", text(a, b, c), text(a, b, c, a), []],
    ["none that is short", text("x", a, b), text(a, b, "x"), []],
    ["a short paragraph", text("x", "", a, "", b), text(a, "", b, "", "x"), [{ from: 1, to: 5, lines: 1 }]],
    [
      "the short lines that moved with a long one, once",
      text("# X", "x", a, "y", "z", b, "", c, d, paragraph("eggs")),
      text(c, d, paragraph("eggs"), "", "# X", "x", a, "y", "z", b),
      [{ from: 1, to: 5, lines: 6 }],
    ],
    ["none where lines came or went", text(a, c), text(a, b, c, d), []],
  ])("%s", (_, before, after, moved) => {
    expect(movedLines(before, after)).toEqual(moved);
  });

  test("whatever is shuffled, what is left kept its order", () => {
    const names = Array.from({ length: 12 }, (_, at) => paragraph(`${at} of many`));
    fc.assert(
      fc.property(fc.shuffledSubarray(names, { minLength: 12 }), (shuffled) => {
        const moved = movedLines(text(...names), text(...shuffled)).flatMap(({ from, lines }) =>
          Array.from({ length: lines }, (_, at) => names[from - 1 + at]),
        );
        const left = shuffled.filter((line) => !moved.includes(line));
        expect(left).toEqual(names.filter((line) => !moved.includes(line)));
      }),
    );
  });
});

test("a plan says which lines of a prompt moved, in text and in Markdown", () => {
  const field = {
    field: "prompt",
    type: "prose",
    before: text(a, b, c, d),
    after: text(b, c, d, a),
    cause: "configured",
  } as const;
  const document = planDocument(plan([change({ address: "context.a", action: "update", fields: [field] })]));
  const told = "moved from line 1 to line 4";
  expect(renderText(document, { color: false, width: 80 })).toContain(told);
  expect(renderMarkdown(document)).toContain(
    `\n\n- Moved from line 1 to line 4, with the same words: \`${a}\`\n\n`,
  );
});
