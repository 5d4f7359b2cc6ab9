/** Checks the documentation pages as installed, and the skill for coding agents. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { commands } from "../../src/entrypoints/cli/commands.js";
import { listPages } from "../../src/entrypoints/cli/manual-pages.js";
import { newFolder, runIn } from "./hosting.js";

const runHelp = async (...argv: string[]) => runIn(await newFolder(), ["help", ...argv]);

describe("help for a documentation page", () => {
  test("prints the page unchanged except for comments", async () => {
    const written = readFileSync("docs/reviews.md", "utf8").replace(/<!--[^>]*-->\n+/g, "");
    expect(await runHelp("reviews")).toEqual({ exit: 0, stdout: written, stderr: "" });
  });

  test("is listed in the general help, but is hidden by a command of the same name", async () => {
    const { stdout } = await runHelp();
    for (const name of listPages()) expect(stdout).toContain(` ${name}`);
    expect((await runHelp("plan")).stdout).toContain("Usage: avatarops plan");
    expect((await runHelp("plan.md")).stdout).toMatch(/^# /);
    expect(await runHelp("nonsense.md")).toMatchObject({ exit: 1 });
    expect(await runHelp("../package")).toMatchObject({ exit: 1 });
  });
});

describe("agent skill", () => {
  const text = readFileSync("skills/avatarops/SKILL.md", "utf8");
  const [, front = "", body = ""] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text) ?? [];

  test("has its folder's name, a description and at most a hundred lines", () => {
    const { name, description } = parse(front);
    expect(name).toBe("avatarops");
    expect(description.length).toBeLessThanOrEqual(1024);
    expect(text.split("\n").length).toBeLessThanOrEqual(100);
  });

  test("names only existing commands and pages", () => {
    const names = commands.map((command) => command.name);
    for (const [, line = ""] of body.matchAll(/`avatarops ([^`]+)`/g)) {
      const [first = "", second = ""] = line.split(" ");
      if (first === "help") expect(["", ...listPages()]).toContain(second);
      else
        expect(
          names.some((name) => name === first || name === `${first} ${second}`),
          line,
        ).toBe(true);
    }
  });
});
