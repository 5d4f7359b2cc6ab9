// @module-tag night
// @module-tag terraform
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { newFolder } from "../cli/hosting.js";
import { type Acceptance, startAcceptance } from "../terraform/acceptance.js";
import { bareStack, cdktn, newStack } from "./flavours.js";

/* What the constructs say, through the real terraform to the service. */

const { library, ours } = cdktn;

describe("an apply of what is synthesised", () => {
  test("brings texts to the service as they were written", async () => {
    // Of what means something to Terraform, to JSON, or to CDKTF.
    const piece = fc.constantFrom("\n", " ", ...'$ % { } ${ %{ $$ %% ~ " \\ a é 🚲'.split(" "));
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join("").normalize());
    const texts = fc.sample(text, { numRuns: 60, seed: 1 });
    const stack = newStack();
    for (const [index, prompt] of texts.entries()) {
      new ours.Context(stack, `c${index}`, {
        name: `${index}`,
        prompt,
        links: [{ url: "https://example.com", faq: prompt }],
      });
    }

    const { emulator, settle } = await starting(stack);
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
    const stack = bareStack();
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

    const { emulator, settle } = await starting(stack);
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

  test("leaves alone what ignore_changes of a manifest names, or that of lifecycle", async () => {
    const file = path.join(await newFolder(), "avatarops.yaml");
    const synthesised = async (prompt: string) => {
      await writeFile(file, ignoring(prompt));
      const stack = bareStack();
      await ours.AvatarManifest.fromFile(stack, file);
      const lifecycle = { ignoreChanges: ["opening_text"] };
      new ours.Context(stack, "own", { name: "Own", prompt, openingText: "Ours.", lifecycle });
      return stack;
    };
    const { emulator, settle, succeed, write, expectNothingToDo } = await starting(
      await synthesised("Be kind."),
      { emulator: { profile: "liveavatar" }, environment: { TF_VAR_KEY: "one" } },
    );
    await settle();
    const { contexts, secrets, llmConfigurations } = emulator.world;
    const [first] = secrets;
    expect(contexts).toMatchObject(Array(2).fill({ opening_text: "Ours." }));
    for (const { id } of [...contexts]) emulator.editContext(id, { opening_text: "Theirs." });
    await expectNothingToDo();
    await write({ "cdk.tf.json": library.Testing.synth(await synthesised("Be brief."), true) });
    await succeed("apply", "-auto-approve", "-var=KEY=two");
    expect(contexts).toMatchObject(Array(2).fill({ prompt: "Be brief.", opening_text: "Theirs." }));
    expect(secrets).toHaveLength(2);
    expect(llmConfigurations).toMatchObject([{ secret_id: first?.id }]);
  });
});

const ignoring = (prompt: string) => `service: { profile: liveavatar }
contexts:
  desk: { name: Desk, prompt: ${prompt}, opening_text: Ours., ignore_changes: [opening_text] }
secrets: { llm: { secret_name: LLM, secret_type: LLM_API_KEY, secret_value: !env KEY } }
llm_configurations:
  main: { display_name: Main, model_name: gpt-4o, secret: llm, ignore_changes: [secret] }
`;

async function starting(
  stack: Parameters<typeof library.Testing.synth>[0],
  given: Pick<Parameters<typeof startAcceptance>[0], "emulator" | "environment"> = {},
): Promise<Acceptance> {
  const files = { "terraform.tf": "", "cdk.tf.json": library.Testing.synth(stack, true) };
  const started = await startAcceptance({ main: "", files, ...given });
  await started.succeed("init");
  return started;
}
