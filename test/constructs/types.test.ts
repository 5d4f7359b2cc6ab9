// @module-tag night
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { Construct } from "constructs";
import { expect, test } from "vitest";
import {
  Avatar,
  Context,
  env,
  exec,
  file,
  Preset,
  Project,
  promptFile,
  Secret,
  Voice,
} from "../../src/index.js";

/*
 * Each @ts-expect-error tests a type during the type check. Running the file shows which constructors throw on
 * unchecked values.
 */

test("rejects invalid constructs at compile time, and throws at run time only for invalid scopes and locked projects", () => {
  const project = new Project();
  const context = new Context(project, "desk", { name: "Desk", prompt: "You help." });
  const voice = new Voice(project, "mara", { id: "1", name: "Mara" });
  // @ts-expect-error a prompt is required
  new Context(project, "a", { name: "A" });
  // @ts-expect-error the property does not exist
  new Context(project, "b", { name: "B", prompt: "b", openingTxt: "Hi" });
  // @ts-expect-error properties are spelled in camel case
  new Context(project, "c", { name: "C", prompt: "c", opening_text: "Hi" });
  // @ts-expect-error a secret value must come from a source
  new Secret(project, "d", { secretName: "d", secretType: "LLMPROVIDER_API_KEY", secretValue: "sk" });
  // @ts-expect-error an API key must come from a source
  new Project({ service: { apiKey: "sk" } });
  // @ts-expect-error a context is not a voice
  new Preset(project, "e", { persona: { voice: context } });
  // @ts-expect-error a voice is not an avatar
  new Preset(project, "f", { avatar: voice });
  // @ts-expect-error `drift` does not allow this value
  new Project({ drift: "ignore" });
  new Project({ variables: { price: "9 EUR" }, templates: ["prompts/*.md"], partials: "texts" });
  new Project({ environments: { production: { variables: { price: "10 EUR" } } } });
  // @ts-expect-error variables must be strings
  new Project({ variables: { price: 9 } });
  new Project({ onRemoval: { contexts: "delete" } });
  // @ts-expect-error `onRemoval` values are `delete` and `forget`
  new Project({ onRemoval: { contexts: "remove" } });
  new Context(project, "u", { name: "U", prompt: promptFile("a.md", { price: "9 EUR" }) });
  // @ts-expect-error variables must be strings
  new Context(project, "v", { name: "V", prompt: promptFile("a.md", { price: 9 }) });
  const made = promptFile("w", {});
  // @ts-expect-error a template cannot produce a secret
  new Secret(project, "w", { secretName: "w", secretType: "LLMPROVIDER_API_KEY", secretValue: made });
  // @ts-expect-error objects are not project properties
  new Project({ contexts: {} });
  // @ts-expect-error an environment changes only existing properties
  new Project({ environments: { staging: { contexts: { desk: { promt: "" } } } } });
  // @ts-expect-error properties are missing
  new Avatar(project, "g");
  // @ts-expect-error the scope is missing
  expect(() => new Avatar(undefined, "h", { id: "1" })).toThrow("must be the project");
  // @ts-expect-error the id is missing
  new Avatar(project, undefined, { id: "1" });
  // @ts-expect-error the scope is not a construct
  expect(() => new Avatar({}, "i", { id: "1" })).toThrow("must be the project");
  new Avatar(project, "", { id: "1" });
  new Avatar(project, "mara", { id: "1" });
  new Avatar(project, "mara", { id: "1" });
  new Avatar(project, "constructor", { id: "1" });
  project.node.lock();
  expect(() => new Avatar(project, "late", { id: "1" })).toThrow(
    "avatars.late was created after its project was read",
  );
});

test("compiles constructs with omitted properties, possibly undefined properties and secret sources", () => {
  const faq: string | undefined = process.argv[99];
  const project = new Project({ state: undefined, service: { baseUrl: env("URL"), timeoutSeconds: 5 } });
  const scope = new Construct(project, "shop");
  const context = new Context(scope, "desk", {
    name: file("name.txt"),
    prompt: promptFile("prompts/desk.md"),
    openingText: undefined,
    links: [{ url: "https://example.com", faq }],
  });
  const secretValue = exec(["pass", "show", "llm"], { timeoutSeconds: 3 });
  new Secret(scope, "llm", { secretName: "llm", secretType: "EARS_API_KEY", secretValue });
  const preset = new Preset(scope, "kiosk", {
    mode: "AUDIO",
    persona: { context, voice: "mara", contextId: undefined },
  });
  expect(preset.node.path).toBe("shop/kiosk");
});

test("compiles the TypeScript project in the examples without errors", async () => {
  const tsc = path.resolve("node_modules/typescript/bin/tsc");
  const checked = await promisify(execFile)(process.execPath, [tsc, "-p", "examples/typescript"]);
  expect(checked.stdout).toBe("");
});
