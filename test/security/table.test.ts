// @module-tag ci
/** Checks that the tables in docs/security.md match the security tests. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const folder = path.dirname(import.meta.dirname);
const declared = /^ *(?:test|it)(?:\.each\(.*?\))?\(\s*"(.+?)",/gms;
const tests = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.endsWith("/table.test.ts"))
  .map((file) => readFileSync(path.join(folder, file), "utf8"))
  // Skips nightly tests, which do not protect a pull request.
  .filter((text) => !/@module-tag (?:night)/.test(text))
  .flatMap((text) => Array.from(text.matchAll(declared), ([, name = ""]) => name.replace(/: %s$/, "")));

/** Whether a test has this title. A title that starts with a parameter matches any value of the parameter. */
const isTested = (name: string) =>
  tests.some((title) => title === name || (title.startsWith("%s ") && name.endsWith(title.slice(2))));

const page = readFileSync(path.join(folder, "../docs/security.md"), "utf8");

function readRows(title: string): string[][] {
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

test.each(["The table", "Where credentials go"])(
  "has a test for each row of the section %s in docs/security.md",
  (title) => {
    const named = readRows(title).map((cells) => cells.at(-1) ?? "");
    expect(named.length).toBeGreaterThan(15);
    expect(named.filter((name) => !isTested(name))).toEqual([]);
    expect(new Set(named).size).toBe(named.length);
  },
);
