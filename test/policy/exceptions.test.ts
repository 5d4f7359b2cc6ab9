import { expect, test } from "vitest";
import { startProject } from "../cli/hosting.js";
import { createProjectFiles, validate } from "./judging.js";

const cheap = "prompt: It is cheap.\n";

test("exempts the objects named in a policy exception, and requires a reason", async () => {
  const rule = (exception: string) =>
    `forbidden-phrases:\n  phrases: [cheap]\n  except:\n    - ${exception}\n`;
  expect(await validate(createProjectFiles(rule("{ address: context.support }"), cheap))).toEqual([
    expect.stringContaining("error missing-field"),
  ]);
  const good = rule('{ address: "context.sup*", reason: an old campaign }');
  expect(await validate(createProjectFiles(good, cheap))).toEqual([]);
});

test("reads a rule's severity from the manifest or the environment", async () => {
  const files = createProjectFiles("forbidden-phrases: { phrases: [cheap], severity: warning }", cheap);
  files["avatarops.yaml"] +=
    "environments:\n  live: { policies: { forbidden-phrases: { severity: error } } }\n  test: { policies: { forbidden-phrases: { severity: off } } }\n";
  expect(await validate(files)).toContain('error forbidden-phrases at avatarops.yaml:6:19 "cheap"');
  const project = await startProject({
    files: createProjectFiles("forbidden-phrases: { phrases: [cheap], severity: warning }", cheap),
  });
  expect(await project.avatarops("validate")).toMatchObject({
    exit: 0,
    stdout: expect.stringContaining("warning[forbidden-phrases]") as string,
  });
});

test("applies a rule only to objects named in `only`", async () => {
  const rule = 'forbidden-phrases: { phrases: [cheap], only: ["context.kiosk-*"] }';
  expect(await validate(createProjectFiles(rule, cheap))).toEqual([]);
});

test("reports each mistake in `policies` with its line and column", async () => {
  const validateWith = async (policies: string) => validate(createProjectFiles(policies, "prompt: Hi"));
  expect(await validateWith("forbidden-phrase: { phrases: [x] }")).toEqual([
    'error unknown-rule at avatarops.yaml:2:3 "forbidden-phrase"',
  ]);
  expect(await validateWith("prompt-length: { max: ten }")).toEqual([
    'error wrong-type at avatarops.yaml:2:25 "ten"',
  ]);
  expect(await validateWith("forbidden-phrases:\n  phrases: [x]\n  severity: fatal")).toEqual([
    'error not-allowed-value at avatarops.yaml:4:15 "fatal"',
  ]);
  expect(await validateWith("forbidden-phrases: { phrase: [x] }")).toEqual([
    'error unknown-field at avatarops.yaml:2:24 "phrase"',
  ]);
  expect(await validateWith("prompt-length:\n  - { max: 10 }\n  - { maxx: 10 }")).toEqual([
    'error unknown-field at avatarops.yaml:4:9 "maxx"',
  ]);
});
