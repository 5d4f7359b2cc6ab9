// @module-tag ci
/** The tables of docs/security.md say what these tests try, and nothing else. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const folder = path.dirname(import.meta.dirname);
/** Those of reviews show as well what somebody could do to get around one. */
const tests = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((file) => /^(security|review|cli)\b.*\.test\.ts$/.test(file) && !file.endsWith("/table.test.ts"))
  .flatMap((file) =>
    Array.from(
      readFileSync(path.join(folder, file), "utf8").matchAll(/^ *test(?:\.each\(.*?\))?\(\s*"(.+?)",/gms),
      ([, name = ""]) => name.replace(/: %s$/, ""),
    ),
  );

const page = readFileSync(path.join(folder, "../docs/security.md"), "utf8");

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

test.each(["The table", "Where credentials go"])(
  "each row of %s names a test in which the attack is tried",
  (title) => {
    const named = rows(title).map((cells) => cells.at(-1) ?? "");
    expect(named.length).toBeGreaterThan(15);
    expect(named.filter((name) => !tests.includes(name))).toEqual([]);
    expect(new Set(named).size).toBe(named.length);
  },
);
