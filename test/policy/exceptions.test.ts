import { expect, test } from "vitest";
import { startProject } from "../cli/hosting.js";
import { projectWith, validated } from "./judging.js";

const cheap = "prompt: It is cheap.\n";

test("an exception needs a reason, and holds for the objects it names", async () => {
  const rule = (exception: string) =>
    `forbidden-phrases:\n  phrases: [cheap]\n  except:\n    - ${exception}\n`;
  expect(await validated(projectWith(rule("{ address: context.support }"), cheap))).toEqual([
    expect.stringContaining("error missing-field"),
  ]);
  const good = rule('{ address: "context.sup*", reason: an old campaign }');
  expect(await validated(projectWith(good, cheap))).toEqual([]);
});

test("a rule has the severity of the manifest, and that of an environment", async () => {
  const files = projectWith("forbidden-phrases: { phrases: [cheap], severity: warning }", cheap);
  files["avatarops.yaml"] +=
    "environments:\n  live: { policies: { forbidden-phrases: { severity: error } } }\n  test: { policies: { forbidden-phrases: { severity: off } } }\n";
  expect(await validated(files)).toContain('error forbidden-phrases at avatarops.yaml:6:19 "cheap"');
  const project = await startProject({
    files: projectWith("forbidden-phrases: { phrases: [cheap], severity: warning }", cheap),
  });
  expect(await project.avatarops("validate")).toMatchObject({
    exit: 0,
    stdout: expect.stringContaining("warning[forbidden-phrases]") as string,
  });
});

test("a rule judges only the objects it is for", async () => {
  const rule = 'forbidden-phrases: { phrases: [cheap], only: ["context.kiosk-*"] }';
  expect(await validated(projectWith(rule, cheap))).toEqual([]);
});

test("mistakes in policies have their place", async () => {
  const of = async (policies: string) => validated(projectWith(policies, "prompt: Hi"));
  expect(await of("forbidden-phrase: { phrases: [x] }")).toEqual([
    'error unknown-rule at avatarops.yaml:2:3 "forbidden-phrase"',
  ]);
  expect(await of("prompt-length: { max: ten }")).toEqual(['error wrong-type at avatarops.yaml:2:25 "ten"']);
  expect(await of("forbidden-phrases:\n  phrases: [x]\n  severity: fatal")).toEqual([
    'error not-allowed-value at avatarops.yaml:4:15 "fatal"',
  ]);
  expect(await of("forbidden-phrases: { phrase: [x] }")).toEqual([
    'error unknown-field at avatarops.yaml:2:24 "phrase"',
  ]);
  expect(await of("prompt-length:\n  - { max: 10 }\n  - { maxx: 10 }")).toEqual([
    'error unknown-field at avatarops.yaml:4:9 "maxx"',
  ]);
});
