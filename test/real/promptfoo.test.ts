// @module-tag promptfoo
/** Real promptfoo runs the tests of prompts, with a model on this machine, and no other host is asked. */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { passagesOf } from "../../scripts/docs/passages.js";
import { type Project, startProject } from "../cli/hosting.js";
import { promptfoo } from "./tools.js";

vi.setConfig({ testTimeout: 120_000 });

const page = "docs/testing.md";
const [testsOfPage = "", modelOfPage = ""] = passagesOf(page, "yaml");

interface Asked {
  readonly key: string | undefined;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

/** An endpoint as OpenAI's, which says what `answer` makes of each request. */
async function startModel(answer: (asked: Asked) => string) {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += chunk));
    request.on("end", () => {
      const one = { key: request.headers.authorization, messages: JSON.parse(body).messages };
      asked.push(one);
      const message = { role: "assistant", content: answer(one) };
      response.setHeader("content-type", "application/json");
      response.end(
        JSON.stringify({ id: "1", choices: [{ index: 0, message, finish_reason: "stop" }], usage: {} }),
      );
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => {
    server.close();
  });
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
}

interface Guarded extends Project {
  readonly environment: Record<string, string>;
  /** What asked for other hosts. */
  refused(): string;
}

/** A project with the page's tests, in which every process is watched. */
async function started(files: Record<string, string>): Promise<Guarded> {
  const project = await startProject({
    files: {
      "avatarops.yaml": "contexts: { returns: { name: Returns, prompt: !file prompts/returns.md } }\n",
      "prompts/returns.md": "You help with returns. The visitor is ${customer_name}.\n",
      "prompts/returns.test.yaml": testsOfPage,
      "home/.keep": "",
      ...files,
    },
  });
  const environment = {
    PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env.PATH}`,
    HOME: path.join(project.folder, "home"),
    LLM_KEY: "a-key",
    AVATAROPS_PROMPTFOO: promptfoo,
    GUARD_LOG: path.join(project.folder, "refused.txt"),
    NODE_OPTIONS: `--require=${path.join(import.meta.dirname, "promptfoo-guard.cjs")}`,
  };
  const { GUARD_LOG: log } = environment;
  return {
    ...project,
    environment,
    avatarops: (...argv) => project.avataropsWith({ environment }, ...argv),
    refused: () => (existsSync(log) ? readFileSync(log, "utf8") : ""),
  };
}

describe("real promptfoo", () => {
  test("asks the model that the page's configuration names, and a failing assertion is our exit code", async () => {
    let price = 8;
    const { asked, url } = await startModel(({ messages }) =>
      messages[0]?.content.startsWith("You are grading")
        ? JSON.stringify({ pass: true, score: 1, reason: "kind" })
        : `Dear Ann, it costs ${price} EUR.`,
    );
    const model = modelOfPage.replace("https://llm.example.com/v1", url);
    expect(model).not.toBe(modelOfPage);
    const project = await started({ "promptfooconfig.yaml": model });

    const ran = await project.avatarops("test");

    expect([ran.exit, ran.stdout], ran.stderr).toEqual([1, passagesOf(page, "text")[0]]);
    expect(asked.map(({ key }) => key)).toEqual(["Bearer a-key", "Bearer a-key"]);
    expect(asked[0]?.messages).toEqual([
      { role: "system", content: "You help with returns. The visitor is Ann." },
      { role: "user", content: "What does it cost to send a ring back?" },
    ]);
    price = 9;
    expect(await project.avatarops("test")).toMatchObject({ exit: 1 });
    expect(asked).toHaveLength(2);
    expect(await project.avatarops("test", "--no-cache")).toMatchObject({ exit: 0 });
    const review = await project.avatarops("review", "--dry-run");
    expect(review.stdout).toContain("Tests of `context.returns`: 1 passed, 0 failed.");
    expect(project.refused()).toBe("");
    expect(readdirSync(path.join(project.folder, "home"))).toEqual([".keep"]);
  });

  test("gets every text as it is, whatever of a template is in it", async () => {
    const parts = [
      ...["{{ 7*7 }}", "{% raw %}", "{% endraw %}", "{#", "#}", "{{", "}}", "{%-", "-%}", "{", "}", "%", "#"],
      ...[
        "{{ env.LLM_KEY }}",
        "{{ range.constructor('return process')() }}",
        "${env}",
        "${if}",
        "${",
        "$",
        "'",
        '"',
      ],
      ...[
        "\\",
        "\\n",
        "\n",
        "\t",
        " ",
        "é",
        "file:///etc/hosts",
        "${nobody}",
        "{% for x in env %}",
        "<b>",
        "\u2028",
      ],
    ];
    let seed = 1;
    const next = () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return parts[seed % parts.length] ?? "";
    };
    const text = Array.from({ length: 10_000 }, next).join("");
    const project = await started({
      "promptfooconfig.yaml": "providers: [echo]\n",
      "prompts/returns.test.yaml":
        "- vars: { message: Hello }\n  assert: [{ type: javascript, value: file://same.cjs }]\n",
      "same.cjs": `const text = require("node:fs").readFileSync(__dirname + "/live.txt", "utf8");
module.exports = (output) => JSON.parse(output)[0].content === text;\n`,
      "live.txt": text,
    });
    expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 0 });
    project.emulator.editContext("Returns", { prompt: text });

    const ran = await project.avatarops("test", "--live");

    expect(ran, ran.stdout + ran.stderr).toMatchObject({ exit: 0 });
    await project.write("live.txt", `${text}.`);
    expect(await project.avatarops("test", "--live", "--no-cache")).toMatchObject({ exit: 1 });
    expect(project.refused()).toBe("");
  });

  test("says what it cannot run", async () => {
    const project = await started({ "promptfooconfig.yaml": "providers: [nope:thing]\n" });
    const unknown = await project.avatarops("test");
    expect([unknown.exit, unknown.stderr]).toEqual([1, expect.stringContaining("nope:thing")]);
    await project.write("promptfooconfig.yaml", "providers: [echo]\n");
    await project.write("prompts/returns.test.yaml", "tests: []\n");
    expect(await project.avatarops("test")).toMatchObject({ exit: 1, stdout: "" });
    expect(project.refused()).toBe("");
  });

  test("would ask its makers if it were called without avatarops, which is noticed", async () => {
    const project = await started({ "promptfooconfig.yaml": "providers: [echo]\nprompts: [Hello]\n" });
    spawnSync(promptfoo, ["eval", "--no-write"], {
      cwd: project.folder,
      env: { ...project.environment, PROMPTFOO_DISABLE_TELEMETRY: "1", PROMPTFOO_DISABLE_UPDATE: "1" },
    });
    expect(project.refused()).toContain("promptfoo.app");
  });
});
