import { expect, test } from "vitest";
import { matchText, startProject } from "../cli/hosting.js";
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
  const files = createProjectFiles(rule, cheap);
  files["avatarops.yaml"] += "  kiosk-1: { name: Kiosk, prompt: It is free. }\n";
  expect(await validate(files)).toEqual([]);
});

test.each([
  ["contexts.*", 'did you mean "context.*"?'],
  ["contex.support", 'did you mean "context.support"?'],
  ["support", "start with a kind, such as context.support"],
])("rejects the pattern %s, which matches no address, with advice", async (pattern, hint) => {
  for (const [at, rule] of [
    ["only[0]", `forbidden-phrases: { phrases: [cheap], only: ["${pattern}"] }`],
    [
      "except[0].address",
      `forbidden-phrases: { phrases: [x], except: [{ address: "${pattern}", reason: y }] }`,
    ],
  ] as const) {
    const project = await startProject({ files: createProjectFiles(rule, cheap) });
    const { exit, stdout } = await project.avatarops("validate");
    expect(exit).toBe(1);
    expect(stdout).toEqual(
      matchText(
        `error[not-allowed-value] policies.forbidden-phrases.${at} is "${pattern}", which matches no address`,
      ),
    );
    expect(stdout).toEqual(matchText(hint));
  }
});

test("rejects the name of a field without text", async () => {
  const rule = "forbidden-phrases: { phrases: [cheap], fields: [promt] }";
  const project = await startProject({ files: createProjectFiles(rule, cheap) });
  const { exit, stdout } = await project.avatarops("validate");
  expect([exit, stdout]).toEqual([1, matchText('fields[0] does not allow "promt"')]);
  expect(stdout).toEqual(matchText('did you mean "prompt"?'));
});

test("warns about a pattern that matches no declaration in any environment", async () => {
  const files = createProjectFiles(
    `forbidden-phrases:
  phrases: [expensive]
  only: [context.suport, "context.test-*"]
  except: [{ address: "voice.*", reason: names }, { address: context.support, reason: terms }]`,
    cheap,
  );
  files["avatarops.yaml"] += "environments: { test: { contexts: { test-1: { name: A, prompt: B } } } }\n";
  expect(await validate(files)).toEqual([
    'warning unused-pattern at avatarops.yaml:4:12 "context.suport"',
    'warning unused-pattern at avatarops.yaml:5:25 "\\"voice.*\\""',
  ]);
  files["avatarops.yaml"] = files["avatarops.yaml"]?.replace(/contexts:\n.*$/s, "") ?? "";
  expect(await validate(files)).toEqual([]);
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
