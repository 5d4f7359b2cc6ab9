import { expect, test } from "vitest";
import { createValidator, findKind } from "../../src/core/kinds/index.js";

const secret = { secret_name: "s", secret_type: "LLMPROVIDER_API_KEY" };

/* Values that no manifest has; what is told of all others: test/manifest/mistakes.txt. */
test.each<[name: string, value: unknown, problems: object[]]>([
  ["a secret's value", "key", []],
  ["an empty one", "", [{ code: "not-allowed-value", path: ["secret_value"] }]],
])("%s", (_name, secret_value, problems) => {
  const kind = findKind("secret");
  if (!kind) throw new Error("there are secrets");
  expect(createValidator(kind)("it", { ...secret, secret_value })).toMatchObject(problems);
});
