// @module-tag ci
/** Tests attempts to keep the plan job busy with a fork's files. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { matchText, newFolder } from "../cli/hosting.js";
import { base, expectRejection, manifest, startFork } from "./fork.js";

test("rejects a fork's huge files and YAML alias bombs immediately", async () => {
  const fork = await startFork();
  const large = { "prompts/desk.md": "x".repeat(17 * 1024 * 1024) };
  await expectRejection(fork, large, "file-too-large", "avatarops.yaml:3:");
  const bomb = Array.from({ length: 40 }, (_, i) =>
    i === 0
      ? "x-0: &a0 [x, x, x, x, x, x, x, x, x]"
      : `x-${i}: &a${i} [${Array(9)
          .fill(`*a${i - 1}`)
          .join(", ")}]`,
  );
  const expanding = { "prompts/desk.md": "Hi.\n", "avatarops.yaml": `${bomb.join("\n")}\n${manifest}` };
  await expectRejection(fork, expanding, "alias-expansion", "avatarops.yaml:");
});

test("rejects a fork whose objects share a large file, before running policies", async () => {
  const fork = await startFork();
  const contexts = Array.from(
    { length: 300 },
    (_, i) => `  c${i}: { name: c${i}, prompt: !file prompts/desk.md }\n`,
  );
  await fork.propose({
    "prompts/desk.md": "Be kind. ".repeat(100_000),
    "avatarops.yaml": manifest.replace("contexts:\n", `$&${contexts.join("")}`),
  });
  expect(await fork.plan()).toMatchObject({ exit: 1, stdout: "", stderr: matchText("error[too-large]") });
});

test("rejects a fork with too many files before reading any", async () => {
  const fork = await startFork();
  const names = Array.from({ length: 14 }, (_, i) => `prompts/${i}.md`);
  const texts = names.map((name, i) => [name, `${i}${"x".repeat(15_000_000)}`]);
  const contexts = names.map((name, i) => `  c${i}: { name: c${i}, prompt: !file ${name} }\n`);
  await fork.propose({
    ...Object.fromEntries(texts),
    "avatarops.yaml": manifest.replace("contexts:\n", `$&${contexts.join("")}`),
  });
  const tooLarge = { exit: 1, stdout: "", stderr: matchText("error[too-large]") };
  expect(await fork.plan()).toMatchObject(tooLarge);

  // Builds a tree of billions of files from a few git objects.
  const blob = fork.git("hash-object", "-w", "--stdin").trim();
  let tree = "";
  for (let depth = 0; depth < 9; depth++) {
    const entry = tree === "" ? `100644 blob ${blob}` : `040000 tree ${tree}`;
    const list = Array.from({ length: 15 }, (_, i) => `${entry}\t${"n".repeat(200)}${i}\n`);
    tree = execFileSync("git", ["mktree"], {
      cwd: fork.folder,
      input: list.join(""),
      encoding: "utf8",
    }).trim();
  }
  const commit = fork.git("commit-tree", "-p", "main", "-m", "bomb", tree).trim();
  fork.git("update-ref", "refs/heads/proposal", commit);
  expect(await fork.plan()).toMatchObject(tooLarge);
});

test("rejects a fork's oversized templates and reads each folder only once", async () => {
  const fork = await startFork({ ...base, "avatarops.yaml": `templates: [prompts/desk.md]\n${manifest}` });
  const many = { "prompts/desk.md": "{{> p}}".repeat(10_000), "partials/p.md": "x".repeat(100_000) };
  await expectRejection(fork, many, "template-size", "prompts/desk.md:1:");
  const chain = (length: number) =>
    Array.from({ length }, (_, i) => [`partials/p${i}.md`, i + 1 < length ? `{{> p${i + 1}}}` : "Be brief."]);
  const deep = { "prompts/desk.md": "{{> p0}}", ...Object.fromEntries(chain(100)) };
  await expectRejection(fork, deep, "partial-depth", "partials/p49.md:1:");

  // Installs a git that logs its calls.
  const tools = await newFolder();
  const git = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  writeFileSync(path.join(tools, "git"), `#!/bin/sh\necho "$@" >> ${tools}/log\nexec ${git} "$@"\n`, {
    mode: 0o755,
  });
  await fork.propose(Object.fromEntries(chain(50)));
  const planned = await fork.planWith({ PATH: `${tools}:${process.env.PATH}` });
  expect([planned.exit, planned.stdout]).toEqual([0, expect.stringContaining("Be brief.")]);
  const reads = readFileSync(path.join(tools, "log"), "utf8").match(/ cat-file --batch/g);
  expect(reads?.length).toBeLessThan(15);
});

test("limits how many of a fork's environments can change objects", async () => {
  const contexts = Array.from({ length: 1_500 }, (_, i) => `  c${i}: { name: n${i}, prompt: Hi }\n`);
  const fork = await startFork({ "avatarops.yaml": "contexts:\n  c0: { name: n0, prompt: Hi }\n" });
  const withEnvironments = (one: string) =>
    `contexts:\n${contexts.join("")}environments:\n${Array.from({ length: 1_000 }, (_, i) => `  e${i}: ${one}\n`).join("")}`;
  for (const one of ["{}", "{ drift: refuse }", "{ contexts: {} }"]) {
    await fork.propose({ "avatarops.yaml": withEnvironments(one) });
    const judged = await fork.avatarops("validate", "--untrusted", "--base", "main");
    expect(judged.exit, judged.stdout).toBe(one.includes("drift") ? 1 : 0);
  }
  const changing = { "avatarops.yaml": withEnvironments("{ contexts: { c1: { prompt: Ho } } }") };
  await expectRejection(fork, changing, "too-large", "avatarops.yaml:1502:");
});
