/** The table of docs/security.md says what these tests try, and nothing else. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const folder = import.meta.dirname;
const tests = readdirSync(folder)
  .filter((file) => file.endsWith(".test.ts") && file !== path.basename(import.meta.filename))
  .flatMap((file) =>
    Array.from(
      readFileSync(path.join(folder, file), "utf8").matchAll(/^ *test(?:\.each\(.*?\))?\(\s*"(.+?)",/gms),
      ([, name = ""]) => name.replace(/: %s$/, ""),
    ),
  );

function rows(): string[][] {
  const page = readFileSync(path.join(folder, "../../docs/security.md"), "utf8");
  const [, table = ""] = /^## The table\n+(.*?)\n\n/ms.exec(page) ?? [];
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

test("each row names a test in which the attack is tried", () => {
  const named = rows().map((cells) => cells.at(-1) ?? "");
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((name) => !tests.includes(name))).toEqual([]);
  expect(new Set(named).size).toBe(named.length);
});

test("every row says who tries what, where, and what comes of it", () => {
  for (const cells of rows()) {
    expect(cells).toHaveLength(5);
    expect(cells.filter((cell) => cell === "")).toEqual([]);
  }
});
