import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sampleWorld } from "../../src/emulator/index.js";
import { type Acceptance, startAcceptance } from "../terraform/acceptance.js";
import { hasTerraform } from "../terraform/terraform.js";
import { type Flavour, flavours, newStack } from "./flavours.js";

/* What the constructs say, through the real terraform to the service. */

describe.skipIf(!hasTerraform).each(flavours)("an apply of what %s synthesises", (_, flavour) => {
  const { ours, library } = flavour;

  test("brings texts to the service as they were written", async () => {
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

  test("mints a token, stores a secret, and keeps neither", async () => {
    const stack = newStack(flavour);
    const key = new library.TerraformVariable(stack, "key", { type: "string", sensitive: true });
    new ours.Secret(stack, "one", { ...named("one"), secretValue: key.stringValue });
    const context = new ours.Context(stack, "desk", { name: "Desk", prompt: "" });
    const token = new ours.SessionToken(stack, "kiosk", {
      avatar: "a03779b1-9e37-4a1b-9c2d-5ee0fe120000",
      mode: "FULL",
      persona: { context },
    });
    new ours.Secret(stack, "two", {
      ...named("two"),
      secretValue: token.sessionToken,
      secretValueVersion: "1",
    });

    const { emulator, settle, stateText } = await starting(flavour, stack, { TF_VAR_key: "a-secret-value" });
    await settle();

    const values = emulator.world.secrets.map(({ id }) => emulator.secretValue(id));
    expect(values.sort()).toEqual(["a-secret-value", expect.stringMatching(/^session-token-/)]);
    expect(await stateText()).not.toMatch(/a-secret-value|session-token-/);
  });
});

function named(secretName: string) {
  return { secretName, secretType: "LLMPROVIDER_API_KEY" };
}

async function starting(
  { library }: Flavour,
  stack: Parameters<Flavour["library"]["Testing"]["synth"]>[0],
  environment: Readonly<Record<string, string>> = {},
): Promise<Acceptance> {
  const world = { ...sampleWorld(Date.now()), contexts: [], secrets: [] };
  const files = { "terraform.tf": "", "cdk.tf.json": library.Testing.synth(stack, true) };
  const started = await startAcceptance({ main: "", files, environment, world });
  await started.succeed("init");
  return started;
}
