import { expect, test } from "vitest";
import { createValidator, findKind } from "../../src/core/kinds/index.js";

const secret = { secret_name: "s", secret_type: "LLMPROVIDER_API_KEY" };

/* Tests values that a manifest cannot contain. For other values, see test/manifest/mistakes.txt. */
test.each<[name: string, value: unknown, problems: object[]]>([
  ["a secret value", "key", []],
  ["an empty secret value", "", [{ code: "not-allowed-value", path: ["secret_value"] }]],
])("validates %s", (_name, secret_value, problems) => {
  const kind = findKind("secret");
  if (!kind) throw new Error("there are secrets");
  expect(createValidator(kind)("it", { ...secret, secret_value })).toMatchObject(problems);
});
