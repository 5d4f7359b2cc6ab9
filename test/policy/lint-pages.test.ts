import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { defaultRules, isOfPlan } from "../../src/core/manifest/index.js";
import { plannedAfter, validated } from "./judging.js";

/* docs/lint.md has each rule that holds by default, with examples that are judged here as they stand. */

const defaults = defaultRules.map(({ name }) => name);
const [head = "", ...sections] = readFileSync("docs/lint.md", "utf8").split(/^## /m);
const [, settingsOfPage = ""] = /^```yaml\n(.*?)^```$/ms.exec(head) ?? [];

test("the page has each rule that holds by default, and no other", () => {
  expect(sections.map((section) => section.split("\n")[0]).sort()).toEqual([...defaults].sort());
});

describe.each(defaults)("the page of common mistakes, about %s", (rule) => {
  const text = sections.find((section) => section.startsWith(`${rule}\n`)) ?? "";
  const [bad = "", good = ""] = Array.from(
    text.matchAll(/^```yaml\n(.*?)^```$/gms),
    ([, passage = ""]) => passage,
  );

  const [severity, other] = /^.* An error, on by default\.$/m.test(text)
    ? ["error", "warning"]
    : ["warning", "error"];
  const account = /^With `(.*?)` in the account/m.exec(text)?.[1];
  const before = `contexts: { returns: { name: Returns desk, prompt: ${JSON.stringify(account)} } }\n`;
  const judged = (files: Readonly<Record<string, string>>) =>
    isOfPlan(rule) ? plannedAfter({ "avatarops.yaml": before }, files) : validated(files);

  test("shows what is reported, at that place and nothing else", async () => {
    const places = Array.from(
      (/\b[Rr]eported, at (.*):$/m.exec(text)?.[1] ?? "").matchAll(/line (\d+), column (\d+)/g),
      ([, line, column]) =>
        expect.stringContaining(`${severity} ${rule} at avatarops.yaml:${line}:${column} `),
    );
    expect(places.length).toBeGreaterThan(0);
    expect(await judged({ "avatarops.yaml": bad })).toEqual(places);
  });

  test("shows what is not reported", async () => {
    expect(await judged({ "avatarops.yaml": good })).toEqual([]);
  });

  test("says how to give it another severity, to except objects, and to switch it off", async () => {
    // An example that sets options of the rule has `policies:` already.
    const written = bad.replace(/^policies:\n.*\n/, "");
    const options = /^ {2}[\w-]+: \{ (.*) \}$/m.exec(bad.startsWith("policies:") ? bad : "")?.[1];
    const lines = options ? `    ${options}\n` : "";
    const settings = settingsOfPage
      .replace("long-prompt", rule)
      .replace("severity: error", `severity: ${other}`);
    const own = settings + lines;
    const without = (await judged({ "avatarops.yaml": own + written })).join("\n");
    expect(without).toContain(`${other} ${rule} at`);
    const excepted = own.replace("context.demo-*", "context.returns");
    expect(await judged({ "avatarops.yaml": excepted + written })).toEqual([]);
    const off = own.replace(`severity: ${other}`, '"severity": "off"').replace(/ {4}except:\n.*\n/, "");
    expect(await judged({ "avatarops.yaml": off + written })).toEqual([]);
  });
});
