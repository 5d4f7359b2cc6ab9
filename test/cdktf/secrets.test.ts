import type * as terrain from "cdktn";
import { describe, expect, test } from "vitest";
import { cdktn, newStack, readOnlyBlock, synth } from "./flavors.js";

const named = { secretName: "llm", secretType: "LLMPROVIDER_API_KEY" };

const { library, ours } = cdktn;

const written = "sk-8f1e77aa42c09b3d5e6f7a81b2";
/** An id that is not secret. */
const id = "9e107d9d372bb6826bd81d3542a419d6";

type Sources = Readonly<Record<"plain" | "optional" | "key" | "keys", terrain.TerraformVariable>>;

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

  test.each<[string, (stack: terrain.TerraformStack, key: string) => string]>([
    ["a function's argument", () => library.Fn.trimspace("hunter2")],
    ["a function's argument next to a reference", (_, key) => library.Fn.coalesce([key, written])],
    ["text before a reference", (_, key) => `${written}${key}`],
    ["text after a reference", (_, key) => `${key}-${written}`],
    ["a local value", (stack) => new library.TerraformLocal(stack, "one", "hunter2").asString],
    [
      "a local value of a local value",
      (stack) => {
        const one = new library.TerraformLocal(stack, "one", library.Fn.trimspace("hunter2"));
        return new library.TerraformLocal(stack, "two", one.asString).asString;
      },
    ],
  ])("are rejected if the literal is in %s", (_, makeValue) => {
    const stack = newStack();
    const { stringValue } = new library.TerraformVariable(stack, "key", { sensitive: true });
    new ours.Secret(stack, "llm", { ...named, secretValue: makeValue(stack, stringValue) });

    expect(() => synth(stack)).toThrow("[stack/llm] secretValue must not be a literal");
  });

  test("are rejected if the literal is a variable's default, also through a local value", () => {
    const stack = newStack();
    const key = new library.TerraformVariable(stack, "key", { sensitive: true, default: "hunter2" });
    const local = new library.TerraformLocal(stack, "local", key.stringValue);
    new ours.Secret(stack, "llm", { ...named, secretValue: local.asString });

    expect(() => synth(stack)).toThrow(
      "[stack/llm] secretValue comes from the variable key, whose default would put the secret into git and cdk.tf.json. Remove the default, and set TF_VAR_key.",
    );
  });

  test.each<[string, (sources: Sources) => string]>([
    ["an empty default", ({ optional }) => optional.stringValue],
    ["a default for another source", ({ key, optional }) => library.Fn.coalesce([optional.value, key.value])],
    ["an entry of a map", ({ keys }) => library.Fn.lookup(keys.value, "llm_api_key")],
    ["an entry of a map with a fallback", ({ keys, key }) => library.Fn.lookup(keys.value, id, key.value)],
    [
      "an entry named by a plain variable",
      ({ keys, plain }) => library.Fn.lookup(keys.value, plain.value, ""),
    ],
    ["an index with a long name", ({ keys }) => `${library.propertyAccess(keys.value, [id])}`],
    [
      "a decoded secret",
      ({ key }) => `${library.propertyAccess(library.Fn.jsondecode(key.value), ["api-key"])}`,
    ],
    ["an element of a list", ({ key }) => library.Fn.element(library.Fn.split(",", key.stringValue), 0)],
    ["a prefix", ({ key }) => `Bearer ${key.stringValue}`],
    ["a public id and a secret", ({ key }) => `${id}:${key.stringValue}`],
    ["a format", ({ key, plain }) => library.Fn.format("%s:%s", [plain.value, key.value])],
    ["a plain and a sensitive variable", ({ key, plain }) => `${plain.stringValue}:${key.stringValue}`],
    [
      "a condition",
      ({ key, keys, plain }) =>
        `${library.conditional(library.Op.eq(plain.value, "production"), key.value, library.Fn.lookup(keys.value, "trial"))}`,
    ],
    ["a file", () => library.Fn.file("/run/secrets/llm")],
    [
      "a data source",
      () => library.Token.asString(library.ref('data.vault_kv_secret_v2.llm.data["api_key"]')),
    ],
    [
      "a provider's function",
      () => library.Token.asString(library.ref(`provider::vault::read("${id}/key")`)),
    ],
    ["a string with a reference", () => library.Token.asString(library.ref('trimspace("${var.key}")'))],
  ])("may come from %s", (_, makeValue) => {
    const stack = newStack();
    const plain = new library.TerraformVariable(stack, "plain", { default: "production" });
    const optional = new library.TerraformVariable(stack, "optional", { sensitive: true, default: "" });
    const key = new library.TerraformVariable(stack, "key", { sensitive: true });
    const keys = new library.TerraformVariable(stack, "keys", { sensitive: true, type: "map(string)" });
    const secretValue = makeValue({ plain, optional, key, keys });
    const local = new library.TerraformLocal(stack, "local", secretValue);
    new ours.Secret(stack, "direct", { ...named, secretValue });
    new ours.Secret(stack, "through local", { ...named, secretValue: local.asString });

    expect(Object.keys(synth(stack).resource.avatarops_secret ?? {})).toHaveLength(2);
  });

  test("may come from local values that form a cycle, which Terraform reports", () => {
    const stack = newStack();
    const one = new library.TerraformLocal(stack, "one", "");
    const two = new library.TerraformLocal(stack, "two", one.asString);
    one.expression = two.asString;
    new ours.Secret(stack, "llm", { ...named, secretValue: one.asString });

    synth(stack);
  });

  test("are rejected if a CDK token resolves to a literal", () => {
    const stack = newStack();
    const hidden = library.Lazy.stringValue({ produce: () => "sk-written-out" });
    new ours.Secret(stack, "llm", { ...named, secretValue: hidden });

    expect(() => synth(stack)).toThrow("[stack/llm] secretValue must not be a literal");
  });
});
