import { describe, expect, test } from "vitest";
import { toNoticeDocument } from "../../src/output/documents/index.js";
import { renderSlackNotice, renderTeamsNotice } from "../../src/output/render/index.js";

const context = {
  ...{ now: 0, command: "apply", project: "avatars", environment: "production", user: "anna" },
  run: "https://ci.example.com/1?a=1&b=|<x>",
};
const notice = toNoticeDocument(
  {
    ...{ type: "failed", title: "1 of 2 changes could not be applied", commit: "0123456789abcdef" },
    objects: [
      { address: "context.desk", what: "updated" },
      { address: "context.`night`", what: "failed", problem: "It & they <refuse>." },
    ],
    problems: [{ code: "x", message: "Look at it." }],
  },
  context,
);

/** Notice of maximum length in characters and bytes. */
const long = toNoticeDocument(
  {
    ...{ type: "failed", title: "&".repeat(400) },
    objects: Array.from({ length: 80 }, (_, i) => ({
      ...{ address: `context.${"ü&<".repeat(40)}${i}`, what: "failed" },
      problem: "漢\u202e&<".repeat(500),
    })),
    problems: Array.from({ length: 80 }, () => ({ code: "x", message: "😀".repeat(1000) })),
  },
  context,
);

test.each([
  ["slack", renderSlackNotice],
  ["teams", renderTeamsNotice],
])("renders a notice for %s that matches its golden file", async (name, render) => {
  const message = JSON.stringify(JSON.parse(render(notice)), undefined, 2);
  await expect(message).toMatchFileSnapshot(`golden/notice-${name}.json.txt`);
});

describe("oversized notice", () => {
  test("is truncated for Slack without splitting entities or surrogate pairs", () => {
    const { text, blocks } = JSON.parse(renderSlackNotice(long));
    const texts: string[] = blocks
      .slice(0, 2)
      .flatMap((block: { text?: { text: string } }) => block.text?.text ?? []);
    expect([text, ...texts].map(({ length }) => length <= 3_000)).toEqual([true, true, true]);
    expect(blocks[0].text.text.length).toBeLessThanOrEqual(150);
    for (const one of texts) {
      expect(one).toMatch(/…$/);
      expect(one).not.toMatch(/&(?!amp;|lt;|gt;)/);
      expect(one).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/);
    }
  });

  test("is truncated for Teams to less than 28 KB", () => {
    const card = renderTeamsNotice(long);
    expect(Buffer.byteLength(card)).toBeLessThan(28_000);
    expect(card).toContain("…");
  });

  test("shows the number of omitted objects", () => {
    expect(long.data.more_objects).toBe(30);
  });
});

test("does not link a javascript: URL in a notice", () => {
  const odd = toNoticeDocument(
    { type: "applied", title: "1 change applied" },
    { ...context, run: "javascript:alert(1)" },
  );
  expect(renderSlackNotice(odd)).not.toContain("javascript");
  expect(renderTeamsNotice(odd)).not.toContain("javascript");
});
