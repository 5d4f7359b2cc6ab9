// @module-tag terraform
import { cp, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Dataset, type EmulatorOptions, sampleDataset } from "../../src/emulator/index.js";
import { newFolder, startProject } from "../cli/hosting.js";
import { type Acceptance, startAcceptance } from "../terraform/acceptance.js";
import { type Flavour, flavours, newApp, newStack, synth } from "./flavours.js";

/* What the constructs say, through the real terraform to the service. */

describe.each(flavours)("an apply of what %s synthesises", (name, flavour) => {
  const { ours, library } = flavour;
  const tags = name === "cdktf" ? [] : "night";

  test("brings texts to the service as they were written", { tags }, async () => {
    // Of what means something to Terraform, to JSON, or to CDKTF.
    const piece = fc.constantFrom(
      "$",
      "%",
      "{",
      "}",
      "${",
      "%{",
      "$$",
      "%%",
      "~",
      '"',
      "\\",
      "\n",
      "a",
      "é",
      "🚲",
      " ",
    );
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join("").normalize());
    const texts = fc.sample(text, { numRuns: 60, seed: 1 });
    const stack = newStack(flavour);
    for (const [index, prompt] of texts.entries()) {
      new ours.Context(stack, `c${index}`, {
        name: `${index}`,
        prompt,
        links: [{ url: "https://example.com", faq: prompt }],
      });
    }

    const { emulator, settle } = await starting(flavour, stack);
    await settle();

    const arrived = new Map(
      emulator.world.contexts.map(({ name, prompt, links }) => [name, [prompt, links[0]?.faq]]),
    );
    expect(texts.map((_text, index) => arrived.get(`${index}`))).toEqual(texts.map((one) => [one, one]));
  });

  test("makes prompts of partials and of values, at synthesis and by the provider's function", async () => {
    const folder = await newFolder();
    await mkdir(path.join(folder, "partials"));
    await writeFile(path.join(folder, "partials/tone.md"), "Be {{mood}}, %{if}.\n");
    await writeFile(path.join(folder, "desk.md"), "---\nname: Desk\n---\nHi ${who}.\n{{> tone}}\n");
    await writeFile(path.join(folder, "plain.md"), "Hi ${who}.\r\n{{> tone}}\r\nBye\n");
    const stack = new library.TerraformStack(newApp(flavour), "stack");
    const { functions } = new ours.AvataropsProvider(stack, "account");
    const plain = path.join(folder, "plain.md");
    const variable = new library.TerraformVariable(stack, "mood", { type: "string", default: "calm" });
    new ours.Context(stack, "a", { name: "A", prompt: ours.promptFile(plain, { mood: "kind" }) });
    new ours.Context(stack, "b", {
      name: "B",
      prompt: ours.promptFile(plain, { mood: variable.stringValue }),
    });
    const desk = functions.promptFile(path.join(folder, "desk.md"), [{ mood: "brief" }]);
    new ours.Context(stack, "c", {
      name: "C",
      prompt: library.Fn.lookup(desk, "prompt", "") as string,
    });

    const { emulator, settle } = await starting(flavour, stack);
    await settle();

    const prompts = emulator.world.contexts.map(({ name, prompt }) => [name, prompt]);
    expect(prompts.sort()).toEqual([
      ["A", "Hi ${who}.\nBe kind, %{if}.\nBye"],
      ["B", "Hi ${who}.\nBe calm, %{if}.\nBye"],
      ["C", "Hi ${who}.\nBe brief, %{if}."],
    ]);
    expect(() => ours.promptFile(plain, {})).toThrow(
      `${plain} cannot be used:\n  error[unknown-variable] there is no variable mood (${folder}/partials/tone.md:1:4)`,
    );
  });

  test("mints a token, stores a secret, and keeps neither", async () => {
    const stack = newStack(flavour);
    const key = new library.TerraformVariable(stack, "key", { type: "string", sensitive: true });
    new ours.Secret(stack, "one", { ...named("one"), secretValue: key.stringValue });
    const { emulator, settle, stateText } = await starting(flavour, stack, {
      environment: { TF_VAR_key: "a-secret-value" },
    });
    await settle();

    const values = emulator.world.secrets.map(({ id }) => emulator.secretValue(id));
    expect(values).toEqual(["a-secret-value"]);
    expect(await stateText()).not.toContain("a-secret-value");
  });

  test("takes over what avatarops has applied of the same files, and has nothing to do", {
    tags,
  }, async () => {
    const file = "examples/yaml/avatarops.yaml";
    const environment = { LLM_API_KEY: "a-key" };
    const before = await startProject({ environment, world: sampleDataset(Date.now()) });
    for (const name of ["avatarops.yaml", "contexts"])
      await cp(`examples/yaml/${name}`, `${before.folder}/${name}`, { recursive: true });
    expect(await before.avatarops("apply", "--auto-approve")).toMatchObject({ exit: 0 });
    const { world } = before.emulator;
    const idsByName = new Map([
      ...world.contexts.map(({ id, name }) => [name, id] as const),
      ...world.secrets.map(({ id, secret_name }) => [secret_name, id] as const),
    ]);

    const stack = newStack(flavour);
    const made = await ours.AvatarManifest.fromFile(stack, file);
    for (const { resource } of Object.values(made.contexts))
      resource.importFrom(idsByName.get(resource.nameInput ?? "") ?? "");
    for (const { resource } of Object.values(made.secrets))
      resource.importFrom(idsByName.get(resource.secretNameInput ?? "") ?? "");
    for (const { resource } of Object.values({ ...made.avatars, ...made.voices }))
      resource.importFrom(resource.idInput ?? "");
    const { requests, settle } = await starting(flavour, stack, {
      world,
      environment: { TF_VAR_LLM_API_KEY: "a-key" },
    });

    // The change is that the secret is recorded, which cannot be read.
    expect(await settle()).toContain("8 to import, 0 to add, 1 to change, 0 to destroy");
    expect(requests().filter((one) => !one.startsWith("GET"))).toEqual([]);
  });

  test("deletes with a profile what it is told to, and nothing else", { tags }, async () => {
    const file = path.join(await newFolder(), "avatarops.yaml");
    await writeFile(file, deleting);
    const stack = new library.TerraformStack(newApp(flavour), "stack");
    await ours.AvatarManifest.fromFile(stack, file);
    new ours.Context(stack, "desk", { name: "Desk", prompt: "", onRemoval: "delete" });
    new ours.Context(stack, "kept", { name: "Kept", prompt: "" });
    const { provider } = synth(flavour, stack);
    expect(provider.avatarops).toMatchObject([{ profile: "liveavatar" }]);

    const { emulator, settle, succeed, requests } = await starting(flavour, stack, {
      ...{ emulator: { profile: "liveavatar" }, environment: { TF_VAR_KEY: "one" } },
    });
    await settle();
    requests();
    await succeed("apply", "-auto-approve", "-var=KEY=two");
    const writes = requests().filter((one) => !one.startsWith("GET "));
    expect(writes.map((one) => one.split("/").slice(0, 3).join("/"))).toEqual([
      "POST /v1/secrets",
      "PATCH /v1/llm-configurations",
      "DELETE /v1/secrets",
    ]);
    await succeed("destroy", "-auto-approve");
    const { contexts, secrets, llmConfigurations } = emulator.world;
    expect(contexts.map(({ name }) => name)).toEqual(["Kept"]);
    expect([secrets, llmConfigurations]).toEqual([[], []]);
  });
});

const deleting = `service: { profile: liveavatar }
secrets:
  llm:
    { secret_name: LLM, secret_type: LLM_API_KEY, secret_value: !env KEY, on_rotation: delete_old, on_removal: delete }
llm_configurations:
  main: { display_name: Main, model_name: gpt-4o, secret: llm, on_removal: delete }
`;

function named(secretName: string) {
  return { secretName, secretType: "LLMPROVIDER_API_KEY" };
}

interface Given {
  readonly world?: Dataset;
  readonly environment?: Readonly<Record<string, string>>;
  readonly emulator?: EmulatorOptions;
}

async function starting(
  { library }: Flavour,
  stack: Parameters<Flavour["library"]["Testing"]["synth"]>[0],
  {
    world = { ...sampleDataset(Date.now()), contexts: [], secrets: [] },
    environment = {},
    emulator = {},
  }: Given = {},
): Promise<Acceptance> {
  const files = { "terraform.tf": "", "cdk.tf.json": library.Testing.synth(stack, true) };
  const started = await startAcceptance({ main: "", files, environment, emulator, world });
  await started.succeed("init");
  return started;
}
