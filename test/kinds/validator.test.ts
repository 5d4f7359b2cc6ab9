import { expect, test } from "vitest";
import { createValidator, findKind } from "../../src/core/kinds/index.js";

const secret = { secret_name: "s", secret_type: "LLMPROVIDER_API_KEY" };

/* Tests values that a manifest cannot contain. For other values, see test/manifest/mistakes.txt. */
test("accepts a non-empty secret value and rejects an empty one", () => {
  const kind = findKind("secret");
  if (!kind) throw new Error("there are secrets");
  const validate = (value: string) => createValidator(kind)("it", { ...secret, secret_value: value });
  expect(validate("key")).toEqual([]);
  expect(validate("")).toMatchObject([{ code: "not-allowed-value", path: ["secret_value"] }]);
});
