// @module-tag night
// @module-tag terraform
import { writeFile } from "node:fs/promises";
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
