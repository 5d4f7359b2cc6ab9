// @module-tag night
// @module-tag terraform
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Acceptance, startAcceptance } from "../terraform/acceptance.js";
import { cdktn, newStack } from "./flavors.js";

/* Applies synthesized constructs with the real terraform. */

const { library, ours } = cdktn;

describe("terraform apply of synthesized constructs", () => {
  test("sends strings with special characters to the service unchanged", async () => {
    // Characters with a special meaning in Terraform, JSON or CDKTF.
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

    const { emulator, settle } = await startStack(stack);
    await settle();

    const arrived = new Map(
      emulator.world.contexts.map(({ name, prompt, links }) => [name, [prompt, links[0]?.faq]]),
    );
    expect(texts.map((_text, index) => arrived.get(`${index}`))).toEqual(texts.map((one) => [one, one]));
  });
});

async function startStack(
  stack: Parameters<typeof library.Testing.synth>[0],
  given: Pick<Parameters<typeof startAcceptance>[0], "emulator" | "environment"> = {},
): Promise<Acceptance> {
  const files = { "terraform.tf": "", "cdk.tf.json": library.Testing.synth(stack, true) };
  const started = await startAcceptance({ main: "", files, ...given });
  await started.succeed("init");
  return started;
}
