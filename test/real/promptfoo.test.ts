// @module-tag promptfoo
/** Runs real promptfoo on the output of `render --all`, with a local model. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findPassages } from "../../scripts/docs/passages.js";
import { tools } from "../../scripts/tools.js";
import { startProject } from "../cli/hosting.js";
import { execute } from "../installing.js";

const page = "docs/testing.md";
const [configuration = ""] = findPassages(page, "yaml");
const [chat = ""] = findPassages(page, "json");

interface Asked {
  readonly key: string | undefined;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

/** Starts an endpoint like OpenAI's that responds with the result of `answer`. */
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

test("sends the rendered prompt to promptfoo's model and reports a failed assertion", async () => {
  let price = 8;
  const { asked, url } = await startModel(() => `It costs ${price} EUR.`);
  const project = await startProject({
    files: {
      "avatarops.yaml":
        "templates: [prompts/*.md]\nvariables: { price: 9 EUR }\ncontexts: { returns: { name: Returns, prompt: !file prompts/returns.md } }\n",
      "prompts/returns.md": "A return costs {{price}}. The visitor is ${customer_name}.\n",
      "promptfooconfig.yaml": configuration.replace("https://llm.example.com/v1", url),
      "chat.json": chat,
    },
  });
  expect(await project.avatarops("render", "--all", "--out", "texts")).toMatchObject({ exit: 0 });
  const evaluate = () =>
    execute(
      path.join(tools.promptfoo.path, "node_modules/.bin/promptfoo"),
      ["eval", "--no-cache", "--no-write"],
      {
        cwd: project.folder,
        env: {
          PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env.PATH}`,
          HOME: project.folder,
          LLM_KEY: "a-key",
          PROMPTFOO_DISABLE_TELEMETRY: "1",
          PROMPTFOO_DISABLE_UPDATE: "1",
        },
      },
    );
  expect((await evaluate()).exit).not.toBe(0);
  expect(asked).toMatchObject([
    {
      key: "Bearer a-key",
      messages: [
        { role: "system", content: expect.stringContaining("costs 9 EUR. The visitor is ${customer_name}.") },
        { role: "user", content: "What does it cost to send a ring back?" },
      ],
    },
  ]);
  price = 9;
  expect(await evaluate()).toMatchObject({ exit: 0 });
});
