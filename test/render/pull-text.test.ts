import { expect, test } from "vitest";
import { pullDocument } from "../../src/output/documents/index.js";
import { renderText } from "../../src/output/render/index.js";

const pulled = [
  { address: "context.support", field: "prompt", file: "contexts/support.md" },
  { address: "context.support", field: "name", file: "contexts/support.md" },
];
const refused = [
  { address: "context.sales", field: "prompt", reason: "It was edited here and elsewhere." },
  { address: "voice.narrator", reason: "The service cannot read a voice.\u001B[2J" },
];

function shown(document: Parameters<typeof renderText>[0], width = 80): string {
  return renderText(document, { color: false, width });
}

test("a pull is shown field by field, with the file or the reason", () => {
  expect(shown(pullDocument(pulled, refused, { dryRun: false }))).toBe(`\
  pulled      context.support.prompt  into contexts/support.md
  pulled      context.support.name  into contexts/support.md
  refused     context.sales.prompt
    It was edited here and elsewhere.
  refused     voice.narrator
    The service cannot read a voice.‹U+001B›[2J

  2 fields pulled into 1 file, 2 refusals.
`);
});

test("a dry run is shown as what would be pulled", () => {
  expect(shown(pullDocument(pulled.slice(0, 1), [], { dryRun: true }))).toBe(`\
  would pull  context.support.prompt  into contexts/support.md

  1 field would be pulled into 1 file.
`);
});

test("a pull of nothing says so", () => {
  expect(shown(pullDocument([], [], { dryRun: false }))).toBe(
    "  Nothing to pull: nothing was edited elsewhere.\n",
  );
});

test("no line is wider than the terminal", () => {
  const lines = shown(pullDocument(pulled, refused, { dryRun: false }), 40).split("\n");
  expect(lines.filter((line) => line.length > 40)).toEqual([]);
});
