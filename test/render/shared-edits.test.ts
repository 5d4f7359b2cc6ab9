import { expect, test } from "vitest";
import { planDocument } from "../../src/output/documents/index.js";
import { renderMarkdown } from "../../src/output/render/index.js";
import { change, plan } from "./samples.js";

const lines = (word: string) => Array.from({ length: 60 }, (_, at) => `Line ${at} is ${word}.`).join("\n\n");
const update = (key: string) => {
  const [before, after] = ["old", "new"].map((word) => `The desk ${key}.\n\n${lines(word)}`) as [
    string,
    string,
  ];
  const field = { field: "prompt", type: "prose", before, after, cause: "configured" } as const;
  return change({ address: `context.${key}`, action: "update", fields: [field] });
};
const document = planDocument(plan([update("a"), update("b")]));

test("where there is no room, they lose their differences before their names", () => {
  const short = renderMarkdown(document, { limit: 2_000 });
  expect(Buffer.byteLength(short)).toBeLessThanOrEqual(2_000);
  expect(short).toContain("#### The same, in `prompt` of 2 objects\n\nIn `context.a`, `context.b`.");
  expect(short).toContain("_Too long for a comment: 1 longer difference left out.");
});
