import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import ownPackage from "../../package.json" with { type: "json" };

const contributing = readFileSync("CONTRIBUTING.md", "utf8");

describe("the guide for contributors", () => {
  test("names every suite of tests", () => {
    const folders = readdirSync("test", { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `test/${name}`);
    const packages = readdirSync("packages").map((name) => `packages/${name}/test`);
    const [, table = ""] = /^\| suite \|.*?\n(.*?)\n\n/ms.exec(contributing) ?? [];
    const named = Array.from(
      table.matchAll(/^\| (.*?) \|/gm),
      ([, cell = ""]) => cell.match(/[\w/-]+/g) ?? [],
    ).flat();
    expect(named).toEqual(expect.arrayContaining([...folders, ...packages, "test", "examples"]));
    expect(named.filter((suite) => !existing().includes(suite) && suite !== "---")).toEqual([]);
  });

  test("names scripts that there are", () => {
    const named = Array.from(contributing.matchAll(/npm run ([\w:-]+)/g), ([, script]) => script);
    expect(named.length).toBeGreaterThan(8);
    expect(named.filter((script) => script && !(script in ownPackage.scripts))).toEqual([]);
  });
});

function existing(): string[] {
  return ["test", "packages", "examples"].flatMap((root) => [
    root,
    ...readdirSync(root, { recursive: true, encoding: "utf8" }).map((file) => `${root}/${file}`),
  ]);
}
