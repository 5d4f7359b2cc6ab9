// @module-tag night
// @module-tag terraform
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Acceptance, startAcceptance } from "../terraform/acceptance.js";
import { cdktn, newStack } from "./flavours.js";

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
});

async function starting(
  stack: Parameters<typeof library.Testing.synth>[0],
  given: Pick<Parameters<typeof startAcceptance>[0], "emulator" | "environment"> = {},
): Promise<Acceptance> {
  const files = { "terraform.tf": "", "cdk.tf.json": library.Testing.synth(stack, true) };
  const started = await startAcceptance({ main: "", files, ...given });
  await started.succeed("init");
  return started;
}
