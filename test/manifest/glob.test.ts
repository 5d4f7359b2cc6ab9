import { describe, expect, test } from "vitest";
import { loadManifest } from "../../src/core/manifest/index.js";
import { findGlobFolder, isGlob, matchesGlob } from "../../src/core/manifest/tree/glob.js";
import { runIn } from "../cli/hosting.js";
import { createProjectFolder } from "./project.js";

/*
 * Tests file patterns without measuring time. As regular expressions, the hostile patterns would never finish.
 */

test.each([
  ["*.md", ["a.md", "é.md"], ["a/b.md", "a.mdx", "md"]],
  ["contexts/*.md", ["contexts/a.md"], ["contexts/a/b.md", "a.md"]],
  ["**/*.md", ["a.md", "a/b.md", "a/b/.c.md"], ["a.txt", "a/b.md/c"]],
  ["a/**", ["a/b", "a/b/c"], ["b/a", "ab"]],
  ["a/**/b.md", ["a/b.md", "a/c/d/b.md"], ["a/c/b.mdx", "a/cb.md"]],
  ["**/a/**/b/*.md", ["a/b/c.md", "x/a/a/y/b/b/c.md"], ["b/a/c.md"]],
  ["{a,b}*.md", ["{a,b}.md", "{a,b}c.md"], ["a.md", "b.md"]],
  ["[a-c]?.md", ["[a-c]1.md", "[a-c]😀.md"], ["ab.md", "[a-c].md"]],
  ["\\*.md", ["\\.md", "\\a.md"], ["*.md", "a.md"]],
  [".env*", [".env", ".env.example"], ["env"]],
  ["Notes (old)/*.md", ["Notes (old)/a.md"], ["Notes old/a.md"]],
  ["*a*b*.md", ["xaxbx.md", "ab.md"], ["ba.md"]],
])("matches all intended paths and no others with the pattern %s", (pattern, those, others) => {
  expect(isGlob(pattern)).toBe(true);
  expect(those.filter((file) => !matchesGlob(file, pattern))).toEqual([]);
  expect(others.filter((file) => matchesGlob(file, pattern))).toEqual([]);
});

test.each([
  ["contexts/*.md", "contexts"],
  ["a/b/**/c.md", "a/b"],
  ["*.md", "."],
  ["{a,b}/[id]/*.md", "{a,b}/[id]"],
])("searches for the pattern %s only in the folder %s", (pattern, folder) => {
  expect(findGlobFolder(pattern)).toBe(folder);
});

describe("hostile pattern", () => {
  const name = `${"a".repeat(240)}.md`;
  const file = { [`c/${name}`]: "---\nname: A\n---\nP\n" };

  test.each([
    ["many *", `c/${"*a".repeat(60)}b.yaml`],
    ["many **", `${"**/c/".repeat(60)}*b.yaml`],
  ])("causes a warning if it has no matches: %s", async (_, pattern) => {
    const cwd = createProjectFolder({ "avatarops.yaml": `include: ['${pattern}']\n`, ...file });
    const { exit, stdout } = await runIn(cwd, ["validate"]);
    expect([exit, stdout]).toEqual([0, expect.stringContaining("warning[no-match]")]);
  });

  test("is rejected with its line and column if matching takes too long", async () => {
    const pattern = `c/*${"a".repeat(120)}b.md`;
    const names = Array.from({ length: 600 }, (_, at) => `c/${"a".repeat(236)}${at}.md`);
    const cwd = createProjectFolder({
      "avatarops.yaml": `include:\n${`  - "${pattern}"\n`.repeat(10)}`,
      ...Object.fromEntries(names.map((name) => [name, ""])),
    });
    const { diagnostics } = await loadManifest({ allowCode: true, cwd });
    const [last, ...before] = diagnostics.toReversed();
    expect(last).toMatchObject({
      severity: "error",
      code: "invalid-pattern",
      message: expect.stringMatching(/^matching the patterns takes too long \(stopped at "c\/\*aaa.*"\)/),
      location: { file: "avatarops.yaml", line: before.length + 2, column: 5 },
      hint: "use fewer patterns and wildcards",
    });
    expect(before.length).toBeLessThan(9);
    expect(new Set(before.map(({ code }) => code))).toEqual(new Set(["no-match"]));
  });
});
