import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { listRepositoryFiles } from "./files.js";
import { listAnchors, listLinks, repository, resolvesLink } from "./markdown.js";

/* Checks every Markdown link into this repository. Sends no requests to other sites. */

const files = listRepositoryFiles("*.md");

describe("Markdown links", () => {
  test.each(files)("point to existing files and headings in %s", (file) => {
    const targets = listLinks(readFileSync(file, "utf8"));
    expect(targets.filter((target) => !resolvesLink(file, target))).toEqual([]);
  });

  test("point from docs/README.md to every page in docs", () => {
    const targets = listLinks(readFileSync("docs/README.md", "utf8"));
    const pages = files.filter((file) => /^docs\/[^/]+\.md$/.test(file) && file !== "docs/README.md");
    expect(pages.filter((page) => !targets.includes(page.slice("docs/".length)))).toEqual([]);
  });

  test("are found and checked in every syntax", () => {
    const text = [
      "[file](docs/rules.md) and ![picture](docs/none.svg), [reference], [other][reference] and [none],",
      '`[code](none.md)` <img src="docs/none.png"> [heading](docs/rules.md#rule-9--in-a-prompt-belongs-to-the-service)',
      `| [cell](#none) | [ours](${repository}/blob/HEAD/src) | [away](https://example.com/none) |`,
      "",
      "[reference]: docs/service.md#43-contexts",
    ].join("\n");
    expect(listLinks(text).map((target) => [target, resolvesLink("README.md", target)])).toEqual([
      ["docs/rules.md", true],
      ["docs/none.svg", false],
      ["docs/service.md#43-contexts", true],
      ["docs/service.md#43-contexts", true],
      ["[none]", false],
      ["docs/none.png", false],
      ["docs/rules.md#rule-9--in-a-prompt-belongs-to-the-service", true],
      ["#none", false],
      [`${repository}/blob/HEAD/src`, false],
      ["https://example.com/none", true],
    ]);
  });

  test("use the anchors that GitHub generates for headings", () => {
    const text = '---\ntitle: none\n---\n# A `code` & [link](x)\n## Same\n## Same\n<a id="own"></a>\n';
    expect(listAnchors(text)).toEqual(["a-code--link", "same", "same-1", "own"]);
  });
});
