import { chmod, readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test, vi } from "vitest";
import { type Beginning, type Project, saying, startProject } from "./hosting.js";
import { commit, git } from "./in-git.js";

/* How promptfoo is asked, with a program in its place that notes it; the real one is asked in test/real/promptfoo.test.ts. */

const files = {
  "avatarops.yaml": `templates: [prompts/returns.md]
variables: { price: 9 EUR }
contexts:
  returns: { name: Returns, prompt: !file prompts/returns.md }
  plain: { name: Plain, prompt: !file prompts/plain.md }
`,
  "prompts/returns.md": "Hello ${visitor}. A return costs {{price}}.\n",
  "prompts/returns.test.yaml":
    "- vars: { message: How much?, visitor: Ann }\n  assert: [{ type: javascript, value: file://check.js }]\n",
  "prompts/plain.md": "Be kind.\n",
  "check.js": "module.exports = () => true;\n",
  "promptfooconfig.yaml": "providers: [echo]\n",
};

/** What the program notes of each call. */
interface Call {
  readonly argv: readonly string[];
  readonly prompt: readonly { role: string; content: string }[];
  readonly environment: Readonly<Record<string, string>>;
  readonly asked: string;
}

const passed = {
  success: true,
  failureReason: 0,
  vars: { message: "How much?" },
  testCase: { description: "the price" },
};
const failed = { ...passed, success: false, failureReason: 1, error: 'Expected "9 EUR"' };

interface Tested extends Project {
  /** What promptfoo will answer. */
  answers(...results: readonly object[]): Promise<void>;
  calls(): Promise<readonly Call[]>;
}

async function started(given: Beginning = {}): Promise<Tested> {
  const project = await startProject({
    files: { ...files, ...given.files },
    environment: { PATH: process.env.PATH ?? "", LLM_KEY: "a-key", ...given.environment },
  });
  const program = path.join(project.folder, "node_modules/.bin/promptfoo");
  await project.write(
    "node_modules/.bin/promptfoo",
    `#!/usr/bin/env node
const { appendFileSync, copyFileSync, readFileSync } = require("node:fs");
const argv = process.argv.slice(2);
const after = (flag) => argv[argv.indexOf(flag) + 1];
const note = (asked) => {
  const prompt = JSON.parse(readFileSync(after("-p"), "utf8"));
  appendFileSync("calls.jsonl", JSON.stringify({ argv, prompt, asked, environment: process.env }) + "\\n");
  copyFileSync("answer.json", after("-o"));
  process.exit(100);
};
fetch("https://r.promptfoo.app/").then(() => note("answered"), (error) => note(error.message));
`,
  );
  await chmod(program, 0o755);
  const answers = (...results: readonly object[]) =>
    project.write("answer.json", JSON.stringify({ results: { results } }));
  await answers(passed);
  return {
    ...project,
    answers,
    async calls() {
      if (!project.has("calls.jsonl")) return [];
      const lines = (await project.read("calls.jsonl")).trim().split("\n");
      return lines.map((line) => JSON.parse(line) as Call);
    },
  };
}

describe("tests of prompts", () => {
  test("are run by the promptfoo of the repository around the project, and by none further out", async () => {
    const project = await started();
    await project.write("team/shop/answer.json", await project.read("answer.json"));
    for (const [name, text] of Object.entries(files)) await project.write(`team/shop/${name}`, text);
    const ask = () => project.avatarops("test", "-f", "team/shop/avatarops.yaml");
    expect(await ask()).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining("npm install -D promptfoo"),
    });
    git(project, "init", "--quiet");
    expect(await ask()).toMatchObject({
      ...{ exit: 0, stdout: "Tests of context.returns: 1 passed, 0 failed.\n" },
      stderr: "promptfoo runs prompts/returns.test.yaml …\n",
    });
  });

  test("are run by the promptfoo of the project, with the text as a template and nothing sent to its makers", async () => {
    const project = await started();
    expect(await project.avatarops("test")).toMatchObject({
      exit: 0,
      stdout: "Tests of context.returns: 1 passed, 0 failed.\n",
    });

    const [call] = await project.calls();
    expect(call?.prompt).toEqual([
      { role: "system", content: "Hello {{ visitor | default('${visitor}') }}. A return costs 9 EUR." },
      { role: "user", content: "{{ message | default('Hello.') }}" },
    ]);
    expect(call?.argv).toEqual(expect.arrayContaining(["-t", "prompts/returns.test.yaml", "--no-write"]));
    expect(call?.environment).toMatchObject({
      PROMPTFOO_DISABLE_TELEMETRY: "true",
      PROMPTFOO_DISABLE_UPDATE: "true",
      PROMPTFOO_DISABLE_REMOTE_GENERATION: "true",
      PROMPTFOO_INSECURE_SSL: "false",
      LLM_KEY: "a-key",
    });
    expect(Object.keys(call?.environment ?? {})).not.toContain("AVATAROPS_API_KEY");
    expect(call?.asked).toBe("Not asked.");
    expect(path.relative(project.folder, call?.environment.PROMPTFOO_CONFIG_DIR ?? "")).toMatch(/^\.\./);
  });

  test("fail the command where an assertion fails, with its reason", async () => {
    const project = await started();
    await project.answers(passed, failed);
    const ran = await project.avatarops("test", "context.returns");
    expect(ran).toMatchObject({
      exit: 1,
      stdout: 'Tests of context.returns: 1 passed, 1 failed: the price (Expected "9 EUR").\n',
    });
    // It is known: nothing is asked.
    const again = await project.avatarops("test", "--format", "json");
    expect([again.exit, JSON.parse(again.stdout)]).toEqual([
      1,
      {
        format: "avatarops/tests",
        version: 1,
        tests: [{ address: "context.returns", file: "prompts/returns.test.yaml", results: [passed, failed] }],
      },
    ]);
    expect(await project.calls()).toHaveLength(1);
  });

  test("are not asked again until the text, the tests, the model or a file of theirs changes", async () => {
    const project = await started();
    const changes: [string, string][] = [
      ["prompts/returns.md", "Good morning.\n"],
      ["avatarops.yaml", files["avatarops.yaml"].replace("9 EUR", "10 EUR")],
      ["prompts/returns.md", "Good morning: {{price}}.\n"],
      ["prompts/returns.test.yaml", files["prompts/returns.test.yaml"].replace("Ann", "Ben")],
      ["promptfooconfig.yaml", "providers: [openai:chat:gpt-4o]\n"],
      ["check.js", "module.exports = () => false;\n"],
    ];
    await project.avatarops("test");
    const asked: number[] = [];
    for (const [file, text] of changes) {
      await project.write(file, text);
      await project.avatarops("test");
      await project.avatarops("test");
      asked.push((await project.calls()).length);
    }
    // The second change is of a variable that the text does not use any more.
    expect(asked).toEqual([2, 2, 3, 4, 5, 6]);
    await project.avatarops("test", "--no-cache");
    expect(await project.calls()).toHaveLength(7);
  });

  test("are of the account's text with --live, of which nothing is a template", async () => {
    const project = await started();
    await project.avatarops("apply", "-y");
    project.emulator.editContext("Returns", { prompt: "{{ env.LLM_KEY }} {% if %} ${env} #}" });
    await project.avatarops("test", "--live");
    const [call] = await project.calls();
    const text = (call?.prompt[0]?.content ?? "").replace(/\{\{ '([^']*)' \}\}/g, "$1");
    expect(text).toBe("{{ env.LLM_KEY }} {% if %} ${env} #}");
    expect(call?.prompt[0]?.content).not.toMatch(/\{\{(?! '[{}#%]' \}\})|\{%|#\}/);
  });

  test("are in the review, or that they were not run with this text", async () => {
    const project = await started();
    const review = async () => (await project.avatarops("review", "--dry-run")).stdout.replaceAll("`", "");
    expect(await review()).toContain("The tests of context.returns were not run with this text.");
    await project.answers(passed, failed);
    await project.avatarops("test");
    expect(await review()).toContain("Tests of context.returns: 1 passed, 1 failed: the price (Expected");
    await project.write("prompts/returns.md", "Hello.\n");
    expect(await review()).toContain("were not run with this text");
    await project.write("prompts/returns.md", files["prompts/returns.md"]);
    await project.avatarops("apply", "-y");
    expect(await review()).not.toContain("ests of context.returns");
  });
});

test("the review of an untrusted change shows no results: it could bring its own", async () => {
  const project = await started();
  git(project, "init", "--quiet", "-b", "main");
  commit(project);
  await project.write("prompts/returns.md", "Hello {{price}}.\n");
  await project.avatarops("test");
  commit(project);
  const review = async (...more: string[]) =>
    (await project.avatarops("review", "--dry-run", ...more)).stdout.replaceAll("`", "");
  expect(await review()).toContain("Tests of context.returns: 1 passed");
  const untrusted = await review("--untrusted", "--base", "HEAD~1");
  expect(untrusted).toContain("context.returns");
  expect(untrusted).not.toContain("ests of");
});

test("Ctrl-C ends promptfoo, too, and keeps nothing", async () => {
  const project = await started();
  await project.write(
    "slow.cjs",
    `#!/usr/bin/env node
require("node:fs").writeFileSync("pid", String(process.pid));
setTimeout(() => {}, 60_000);\n`,
  );
  await chmod(path.join(project.folder, "slow.cjs"), 0o755);
  const environment = { AVATAROPS_PROMPTFOO: path.join(project.folder, "slow.cjs") };
  let stop = (_signal: string) => {};
  const running = project.avataropsWith({ environment, onStoppable: (given) => (stop = given) }, "test");
  await vi.waitFor(async () => expect(await project.read("pid")).not.toBe(""), 20_000);
  stop("SIGINT");
  expect(await running).toMatchObject({ exit: 130, stdout: "" });
  const pid = Number(await project.read("pid"));
  await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"), 10_000);
  expect(project.has(".avatarops/tests")).toBe(false);
});

describe("tests cannot be run", () => {
  const calling = async (project: Project, environment: Record<string, string> = {}) => {
    const ran = await project.avataropsWith({ environment }, "test");
    expect(ran).toMatchObject({ exit: 1, stdout: "" });
    return ran.stderr;
  };

  test("without promptfoo: the message says how to get it", async () => {
    const project = await started();
    const said = await calling(project, { AVATAROPS_PROMPTFOO: path.join(project.folder, "none") });
    expect(said).toEqual(saying("npm install -D promptfoo` (on Node 22.22), or set AVATAROPS_PROMPTFOO"));
  });

  test("without a model", async () => {
    const { "promptfooconfig.yaml": _, ...others } = files;
    expect(await calling(await startProject({ files: others }))).toEqual(
      saying("no promptfooconfig.yaml, which names the model"),
    );
  });

  test("where there are none, of an object or at all", async () => {
    const project = await started();
    const plain = await project.avatarops("test", "context.plain");
    expect(plain).toMatchObject({
      exit: 1,
      stderr: saying("No tests beside context.plain, e.g. returns.test.yaml."),
    });
  });

  test("for a change from a fork, whose tests are code", async () => {
    const project = await started();
    const merge = { CI_MERGE_REQUEST_IID: "3", CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "9" };
    const fork = { GITLAB_CI: "true", CI_MERGE_REQUEST_PROJECT_ID: "1", ...merge };
    expect(await calling(project, fork)).toEqual(saying("from a fork"));
    expect(await project.calls()).toEqual([]);
  });

  test("by a model that does not answer, or with an answer of another shape, and are run again then", async () => {
    const project = await started();
    await project.answers({ ...failed, failureReason: 2, error: "connect ECONNREFUSED" });
    expect(await calling(project)).toEqual(saying("connect ECONNREFUSED"));
    await project.write("answer.json", '{"version": 9}');
    expect(await calling(project)).toEqual(saying("promptfoo could not run prompts/returns.test.yaml"));
    await project.answers(passed);
    expect(await project.avatarops("test")).toMatchObject({ exit: 0 });
    expect(await project.calls()).toHaveLength(3);
  });
});

test("the results are ignored by git in a new project", async () => {
  const project = await startProject();
  await project.avatarops("init", "new");
  expect(await readFile(path.join(project.folder, "new/.gitignore"), "utf8")).toContain(".avatarops/tests/");
});
