import { describe, expect, test } from "vitest";
import { cdktn, newStack, readOnlyBlock, synth } from "./flavors.js";

const named = { secretName: "llm", secretType: "LLMPROVIDER_API_KEY" };

const { library, ours } = cdktn;

describe("secrets in constructs", () => {
  test("are passed to Terraform as variable references", () => {
    const stack = newStack();
    const key = new library.TerraformVariable(stack, "key", { sensitive: true });
    new ours.Secret(stack, "llm", { ...named, secretValue: key.stringValue, secretValueVersion: 2 });

    expect(readOnlyBlock(synth(stack).resource, "avatarops_secret")).toEqual({
      secret_name: "llm",
      secret_type: "LLMPROVIDER_API_KEY",
      secret_value_wo: "${var.key}",
      secret_value_wo_version: 2,
    });
  });

  test("are rejected if they are literals, and the error omits the value", () => {
    const stack = newStack();

    expect(() => new ours.Secret(stack, "llm", { ...named, secretValue: "sk-written-out" })).toThrow(
      /^stack\/llm: secretValue must not be a literal, .* `new TerraformVariable\(stack, …, \{ sensitive: true \}\)/,
    );
    expect(library.Testing.synth(stack)).not.toContain("sk-written-out");
  });

  test.each(["apiKey", "fingerprintKey"] as const)(
    "are rejected if they are literals in the provider's %s",
    (name) => {
      const stack = newStack();
      const key = new library.TerraformVariable(stack, "key", { sensitive: true });
      new ours.AvataropsProvider(stack, "one", { alias: "one", [name]: key.stringValue });

      expect(() => new ours.AvataropsProvider(stack, "two", { alias: "two", [name]: "written-out" })).toThrow(
        `stack: ${name} of two must not be a literal`,
      );
      expect(library.Testing.synth(stack)).not.toContain("written-out");
    },
  );

  test("are rejected if they come from a variable that Terraform would print", () => {
    const stack = newStack();
    const key = new library.TerraformVariable(stack, "plain", {});
    new ours.Secret(stack, "llm", { ...named, secretValue: `Bearer ${key.stringValue}` });

    expect(() => synth(stack)).toThrow(
      "[stack/llm] secretValue comes from the variable plain, which is not sensitive, so Terraform would print it. Set `sensitive: true` on the variable.",
    );
  });

  test("are rejected if a CDK token resolves to a literal", () => {
    const stack = newStack();
    const hidden = library.Lazy.stringValue({ produce: () => "sk-written-out" });
    new ours.Secret(stack, "llm", { ...named, secretValue: hidden });

    expect(() => synth(stack)).toThrow("[stack/llm] secretValue must not be a literal");
  });
});
