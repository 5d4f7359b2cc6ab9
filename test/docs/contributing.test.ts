import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import ownPackage from "../../package.json" with { type: "json" };

const contributing = readFileSync("CONTRIBUTING.md", "utf8");

describe("the guide for contributors", () => {
  test("names every suite of tests", () => {
    const files = [
      ...filesIn("test"),
      ...filesIn("examples"),
      ...readdirSync("packages").flatMap((name) => filesIn(`packages/${name}/test`)),
    ];
    const tests = files.filter((file) => file.endsWith(".test.ts"));
    const suites = [
      ...new Set(tests.map((file) => /^(packages\/[^/]+\/test|test\/[^/]+(?=\/)|\w+)/.exec(file)?.[0])),
    ];
    const [, table = ""] = /^\| suite \|.*?\n(.*?)\n\n/ms.exec(contributing) ?? [];
    const named = Array.from(
      table.matchAll(/^\| (.*?) \|/gm),
      ([, cell = ""]) => cell.match(/[\w/-]+/g) ?? [],
    ).flat();
    expect(suites.filter((suite) => !named.includes(suite ?? ""))).toEqual([]);
    expect(named.filter((suite) => !suites.includes(suite) && !["---", "all"].includes(suite))).toEqual([]);
  });

  test("names only scripts that exist", () => {
    const named = Array.from(contributing.matchAll(/npm run ([\w:-]+)/g), ([, script]) => script);
    expect(named.length).toBeGreaterThan(8);
    expect(named.filter((script) => script && !(script in ownPackage.scripts))).toEqual([]);
  });
});

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => `${folder}/${file}`);
}
