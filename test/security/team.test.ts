// @module-tag ci
/** Tests attacks and accidents after the review, by people with push or read access, and from the dashboard. */

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { marked } from "marked";
import { describe, expect, test } from "vitest";
import { findBuilt } from "../built.js";
import { type CommandResult, matchText, newFolder, type Project, startProject } from "../cli/hosting.js";
import { createGitEnvironment, newRepository } from "../git/repositories.js";
import { base, formatSecret, manifest, newTrace, startFork } from "./fork.js";

const readDigest = async (project: Project) =>
  JSON.parse((await project.avatarops("plan", "--format", "json")).stdout).digest as string;

/** Starts a project with a reviewed change and its saved plan. The base is on `main`. */
async function startReviewedChange() {
  const team = await startFork();
  await team.propose({ "prompts/desk.md": "Be brief.\n", "prompts/night.md": "Good night.\n" });
  const plan = path.join(await newFolder(), "plan.json");
  expect(await team.avatarops("plan", "--out", plan)).toMatchObject({ exit: 0 });
  return { team, plan, digest: await readDigest(team) };
}

describe("reviewed apply", () => {
  test("accepts a merge that created another commit with the same files", async () => {
    const { team, plan } = await startReviewedChange();
    team.git("switch", "--quiet", "main");
    await team.propose({ "README.md": "Something else, which is no definition.\n" });
    team.git("merge", "--quiet", "--no-ff", "--no-edit", "proposal");
    expect(await team.avatarops("apply", plan)).toMatchObject({ exit: 0 });
    expect(team.emulator.world.contexts[0]?.prompt).toBe("Be brief.");
    await team.expectNothingToDo();
  });

  test("accepts an abbreviated digest after a squash merge", async () => {
    const { team, digest } = await startReviewedChange();
    team.git("switch", "--quiet", "main");
    team.git("merge", "--quiet", "--squash", "proposal");
    team.git("commit", "--quiet", "--message", "squashed");
    expect(await team.avatarops("apply", "--digest", digest.slice(2, 24))).toMatchObject({ exit: 0 });
    expect(team.emulator.world.contexts[0]?.prompt).toBe("Be brief.");
  });

  test("rejects a reviewed plan after later merges", async () => {
    const { team, plan } = await startReviewedChange();
    const manifestToo = `${manifest}  # more\n`;
    await team.propose({ "prompts/desk.md": "Be rude.\n" });
    const refused = await team.avatarops("apply", plan);
    expect(refused).toMatchObject({ exit: 5, stderr: matchText("context.desk was changed in the files.") });
    expect(refused.stderr).toContain("prompts/desk.md (changed)");
    expect(refused.stderr).toMatch(
      /made\s+from\s+commit\s+[0-9a-f]{12},\s+but\s+this\s+checkout\s+is\s+at\s+[0-9a-f]{12}\./,
    );
    // The changes are the same, but the manifest differs from the reviewed one.
    await team.propose({ "prompts/desk.md": "Be brief.\n", "avatarops.yaml": manifestToo });
    const other = await team.avatarops("apply", plan, "--format", "json");
    expect(other.exit).toBe(5);
    expect(JSON.parse(other.stdout).message).toContain("avatarops.yaml (changed)");
    expect(team.writes()).toEqual([]);
  });

  test("rejects a reviewed digest after later merges", async () => {
    const { team, digest } = await startReviewedChange();
    await team.propose({ "prompts/desk.md": "Be rude.\n" });
    const refused = await team.avatarops("apply", "--digest", digest, "--auto-approve");
    expect(refused).toMatchObject({
      exit: 5,
      stderr: matchText("The plan now contains: update context.desk"),
    });
    // The changes are the same, but `drift: overwrite` would overwrite this edit.
    team.emulator.editContext("Desk", { prompt: "Edited elsewhere." });
    const edited = await readDigest(team);
    await team.propose({ "avatarops.yaml": `drift: overwrite\n${manifest}` });
    expect(await team.avatarops("apply", "--digest", edited)).toMatchObject({ exit: 5 });
    expect(team.writes()).toEqual([]);
  });

  test("rejects a secret whose source differs from the reviewed one", async () => {
    const team = await startFork();
    const rotated = { environment: { LLM_API_KEY: "a new key", OTHER_KEY: "another new key" } };
    const planned = await team.avataropsWith(rotated, "plan", "--format", "json");
    const { digest, changes } = JSON.parse(planned.stdout);
    expect(changes).toMatchObject([{ address: "secret.llm", action: "supersede" }]);
    expect(planned.stdout).not.toContain("LLM_API_KEY");
    await team.propose({ "avatarops.yaml": manifest.replace("LLM_API_KEY", "OTHER_KEY") });
    expect(await team.avataropsWith(rotated, "apply", "--digest", digest)).toMatchObject({ exit: 5 });
    expect(team.writes()).toEqual([]);
  });

  test("keeps the plan digest after an apply to another object, and without access to secret values", async () => {
    const { team, digest } = await startReviewedChange();
    await team.propose({
      "avatarops.yaml": manifest + formatSecret("more", "!env LLM_API_KEY"),
    });
    expect(await team.avatarops("apply", "-y", "--target", "secret.more")).toMatchObject({ exit: 0 });
    expect(await readDigest(team)).toBe(digest);
    const keyless = { environment: { LLM_API_KEY: "" } };
    const without = await team.avataropsWith(keyless, "plan", "--format", "json");
    expect(JSON.parse(without.stdout).digest).toBe(digest);
  });

  test("rejects a forged plan", async () => {
    const { team, plan } = await startReviewedChange();
    const text = readFileSync(plan, "utf8");
    const forged = path.join(path.dirname(plan), "forged.json");
    writeFileSync(forged, text.replaceAll("Be brief.", "Be rude."));
    expect(await team.avatarops("apply", forged)).toMatchObject({
      exit: 1,
      stderr: matchText("error[edited]"),
    });
    // Forges the plan with a valid checksum, which anyone with avatarops can compute. The forged plan does not match
    // the files.
    await team.propose({ "prompts/desk.md": "Be rude.\n" });
    expect(await team.avatarops("plan", "--out", forged)).toMatchObject({ exit: 0 });
    await team.propose({ "prompts/desk.md": "Be brief.\n" });
    expect(await team.avatarops("apply", forged)).toMatchObject({ exit: 5 });
    expect(team.writes()).toEqual([]);
    expect(await team.avatarops("apply", plan)).toMatchObject({ exit: 0 });
  });

  test.each(["short", "1:short", "not a digest", ""])("rejects an invalid digest: %s", async (digest) => {
    const project = await startProject({ files: base });
    expect(await project.avatarops("apply", "--digest", digest)).toMatchObject({ exit: 1 });
    const both = await project.avatarops("apply", "plan.json", "--digest", `1:${"0123456789".repeat(2)}`);
    expect(both).toMatchObject({ exit: 1, stderr: matchText("Remove --digest") });
  });
});

describe("author with push access", () => {
  test("can run commands in the plan job", async () => {
    const team = await startFork();
    const { command, isThere } = await newTrace();
    await team.propose({ "avatarops.yaml": manifest + formatSecret("more", command) });
    await team.avatarops("plan");
    expect(isThere()).toBe(true);
  });

  test("cannot write to the account from the plan job", async () => {
    const team = await startFork();
    await team.propose({
      "avatarops.yaml": `drift: overwrite\n${manifest.replace("desk:", "other:")}${formatSecret("x", "!env LLM_API_KEY")}`,
    });
    for (const more of [[], ["--untrusted", "--base", "main"], ["--refresh", "full"]])
      await team.avatarops("plan", ...more);
    expect(team.writes()).toEqual([]);
  });
});

describe("output with untrusted text", () => {
  const hostile = [
    "::set-output name=a::b",
    "##vso[task.setvariable variable=a]b",
    "\u001b[2J\u001b]0;title\u0007 \u202e right to left",
    "</details> <script>alert(1)</script> ![x](https://evil.example/x.png) @everyone",
    "```",
    "| a | b |",
  ].join("\n");
  const controls = /[\u001b\u0007\u202e]/;
  const commands = /##\w*\[|^[^\S\r\n]*::[A-Za-z]/m;

  const expectPlain = (text: string) => {
    expect(text).not.toMatch(controls);
    expect(text).not.toMatch(commands);
  };

  /** Asserts that no text in rendered Markdown becomes a tag, and that mentions are in code. */
  const expectPlainMarkdown = async (text: string) => {
    const html = await marked(text, { gfm: true });
    expect(html).not.toMatch(/<(?:script|img)|<a /);
    expect(html.replace(/<code>[\s\S]*?<\/code>|<pre>[\s\S]*?<\/pre>/g, "")).not.toContain("@everyone");
    expect(html.match(/<details/g)?.length).toBe(html.match(/<\/details>/g)?.length);
  };

  const expectPlainIn = async (plan: (format: string) => Promise<CommandResult>) => {
    for (const format of ["text", "markdown", "json"]) {
      const { exit, stdout, stderr } = await plan(format);
      expect(exit).toBe(0);
      expectPlain(stdout + stderr);
      if (format === "markdown") await expectPlainMarkdown(stdout);
    }
  };

  test("shows a fork's text as plain text in every format", async () => {
    const fork = await startFork();
    const named = manifest.replace("name: Desk,", `name: ${JSON.stringify(hostile)},`);
    await fork.propose({ "avatarops.yaml": named, "prompts/desk.md": hostile });
    await expectPlainIn((format) => fork.plan("--format", format));
    await fork.propose({ "avatarops.yaml": `${hostile}\n${named}` });
    const { stdout, stderr } = await fork.plan();
    expectPlain(stdout + stderr);
  });

  test("shows dashboard text as plain text", async () => {
    const team = await startFork();
    team.emulator.editContext("Desk", { name: hostile, prompt: hostile });
    await expectPlainIn((format) => team.avatarops("plan", "--format", format));
  });
});

test("loads no package planted by a fork", async () => {
  const fork = await startFork();
  const { file, isThere } = await newTrace();
  const evil = `require("node:fs").writeFileSync(${JSON.stringify(file)}, "");\n`;
  for (const name of ["avatarops", "yaml", "zod", "undici", "commander", "constructs", "tinyglobby"]) {
    await fork.write(`node_modules/${name}/package.json`, JSON.stringify({ name, main: "index.js" }));
    await fork.write(`node_modules/${name}/index.js`, evil);
  }
  await fork.propose({
    ".npmrc": "script-shell=./evil.sh\n",
    "package.json": '{ "type": "module" }',
    "prompts/desk.md": "Be brief.\n",
  });
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [findBuilt(), "plan", "--untrusted", "--base", "main"],
    {
      cwd: fork.folder,
      env: { PATH: process.env.PATH, AVATAROPS_BASE_URL: fork.emulator.url, AVATAROPS_API_KEY: "test-key" },
    },
  );
  expect(stdout).toContain("context.desk");
  expect(isThere()).toBe(false);
});

test("does not load a planted optional package in sync or in a fork's run", async () => {
  const folder = await newFolder();
  const ran = path.join(folder, "ran");
  const repository = newRepository({
    "node_modules/pg/package.json": '{ "name": "pg", "main": "index.js" }',
    "node_modules/pg/index.js": `require("node:fs").writeFileSync(${JSON.stringify(ran)}, "");\n`,
    "avatarops.yaml": "state: postgres://127.0.0.1:9/ops?name=a\ncontexts: { a: { name: A, prompt: B } }\n",
  });
  const env = {
    ...{ ...createGitEnvironment(folder), AVATAROPS_ALLOW_HOSTS: "127.0.0.1" },
    ...{ AVATAROPS_BASE_URL: "http://127.0.0.1:9", AVATAROPS_API_KEY: "key" },
  };
  // Creates an installation whose only optional package is the one that sync needs to start.
  const own = path.join(folder, "installed");
  cpSync(findBuilt("cli"), path.join(own, "dist/cli"), { recursive: true });
  cpSync("package.json", path.join(own, "package.json"));
  mkdirSync(path.join(own, "node_modules"));
  symlinkSync(path.resolve("node_modules/prom-client"), path.join(own, "node_modules/prom-client"));
  const start = (...args: string[]) =>
    spawn(process.execPath, [path.join(own, "dist/cli/main.js"), ...args], { cwd: repository, env });
  const readOutput = async (child: ReturnType<typeof start>) => {
    let text = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (more: string) => {
        text += more;
        if (text.includes('"msg":"cycle"')) child.kill("SIGTERM");
      });
    await once(child, "close");
    return text;
  };
  const synced = await readOutput(start("sync", "--repo", repository, "--listen", "127.0.0.1:0"));
  expect(synced).toContain("missing-package");
  const fork = await readOutput(start("plan", "--untrusted", "--base", "main"));
  expect(fork).toContain("error[missing-package]");
  expect(existsSync(ran)).toBe(false);
  // Checks that a plan of trusted files would load the package.
  await readOutput(start("plan"));
  expect(existsSync(ran)).toBe(true);
});
