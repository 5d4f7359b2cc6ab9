import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import ownPackage from "../../package.json" with { type: "json" };

const contributing = readFileSync("CONTRIBUTING.md", "utf8");

describe("the guide for contributors", () => {
  test("names only scripts that exist", () => {
    const named = Array.from(contributing.matchAll(/npm run ([\w:-]+)/g), ([, script]) => script);
    expect(named.length).toBeGreaterThan(8);
    expect(named.filter((script) => script && !(script in ownPackage.scripts))).toEqual([]);
  });
});
