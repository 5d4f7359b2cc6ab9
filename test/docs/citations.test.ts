import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { repositoryFiles } from "./files.js";

/* Comments and texts cite the rules as `rule 4`, and the interface of the service as `§4.3`. */

const files = repositoryFiles()
  .filter((file) => /\.(ts|mts|mjs|md|json|jsonc|tf|yaml|yml|txt)$|^\.ci\//.test(file))
  .filter((file) => !file.endsWith("package-lock.json"));

const rules = headingsOf("docs/rules.md", /^## Rule (\d+): /gm);
const sections = headingsOf("docs/service.md", /^##+ (\d+(?:\.\d+)*)\.? /gm);

describe("citations", () => {
  test.each([
    ["rule", rules, /\b[Rr]ules?\s(\d+)((?:(?:, | and | or )\d+\b)*)/g],
    ["section", sections, /§ ?(\d+(?:\.\d+)*)((?:(?:, | and | or )\d+\.\d+)*)/g],
  ] as const)("of a %s name one there is", (_, known, pattern) => {
    const cited = files.flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(pattern)]
        .flatMap(([, first = "", more = ""]) => [first, ...more.split(/, | and | or /).slice(1)])
        .map((number) => ({ file, number })),
    );
    expect(cited.length).toBeGreaterThan(15);
    expect(cited.filter(({ number }) => !known.includes(number))).toEqual([]);
  });

  test("do not appear in schemas and pages of the provider, which are published without our documentation", () => {
    const shown = repositoryFiles("*.schema.json", "docs/index.md", "docs/*/*.md");
    expect(shown.length).toBeGreaterThan(10);
    expect(shown.filter((file) => readFileSync(file, "utf8").includes("§"))).toEqual([]);
  });

  test("can refer to nine rules", () => {
    expect(rules).toEqual(["1", "2", "3", "4", "5", "6", "7", "8", "9"]);
  });
});

function headingsOf(file: string, pattern: RegExp): string[] {
  return Array.from(readFileSync(file, "utf8").matchAll(pattern), ([, number = ""]) => number);
}
