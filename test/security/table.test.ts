// @module-tag ci
/** The tables of docs/security.md say what these tests try, and nothing else. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";

const folder = import.meta.dirname;
const tests = readdirSync(folder)
  .filter((file) => file.endsWith(".test.ts") && file !== path.basename(import.meta.filename))
  .flatMap((file) =>
    Array.from(
      readFileSync(path.join(folder, file), "utf8").matchAll(/^ *test(?:\.each\(.*?\))?\(\s*"(.+?)",/gms),
      ([, name = ""]) => name.replace(/: %s$/, ""),
    ),
  );

const page = readFileSync(path.join(folder, "../../docs/security.md"), "utf8");

function rows(title: string): string[][] {
  const [, section = ""] = page.split(`## ${title}\n`);
  const [, table = ""] = /^(\|.*?)\n\n/ms.exec(section) ?? [];
  return table
    .split("\n")
    .slice(2)
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

describe.each([
  { title: "The table", columns: 5, atLeast: 30 },
  { title: "Where credentials go", columns: 6, atLeast: 15 },
])("$title", ({ title, columns, atLeast }) => {
  test("each row names a test in which the attack is tried", () => {
    const named = rows(title).map((cells) => cells.at(-1) ?? "");
    expect(named.length).toBeGreaterThan(atLeast);
    expect(named.filter((name) => !tests.includes(name))).toEqual([]);
    expect(new Set(named).size).toBe(named.length);
  });

  test("every row says something in each column", () => {
    for (const cells of rows(title)) {
      expect(cells).toHaveLength(columns);
      expect(cells.filter((cell) => cell === "")).toEqual([]);
    }
  });
});
