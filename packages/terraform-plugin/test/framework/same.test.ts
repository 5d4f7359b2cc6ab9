import { describe, expect, test } from "vitest";
import type { Attribute, Attributes } from "../../src/attribute.js";
import { keepEqualPrior } from "../../src/plan/semantic-equality.js";
import { Unknown, type Value } from "../../src/values/value.js";

const description = "";
const text: Attribute = {
  type: "string",
  optional: true,
  description,
  semanticEquals: (one, other) => String(one ?? "").toLowerCase() === String(other ?? "").toLowerCase(),
};
const part: Attributes = { text, id: { type: "string", computed: true, description } };
const attributes: Attributes = {
  text,
  secret: { ...text, writeOnly: true },
  single: { nesting: "single", optional: true, description, attributes: part },
  list: { nesting: "list", optional: true, description, attributes: part },
};

describe("state after a read or write", () => {
  test.each<[what: string, name: string, fresh: Value, before: Value, state: Value]>([
    ["keeps an equivalent text", "text", "a", "A", "A"],
    ["keeps null for an empty text", "text", "", null, null],
    ["takes a different text", "text", "b", "A", "b"],
    ["takes a value that was unknown", "text", "a", Unknown, "a"],
    ["drops a write-only value", "secret", "a", "a", null],
    [
      "keeps an equivalent text in a single object",
      "single",
      { text: "a", id: "2" },
      { text: "A", id: "1" },
      { text: "A", id: "2" },
    ],
    [
      "keeps an equivalent text at the same position",
      "list",
      [{ text: "a", id: "1" }],
      [{ text: "A", id: "1" }],
      [{ text: "A", id: "1" }],
    ],
    ["takes a list that was null", "list", [{ text: "", id: "1" }], null, [{ text: "", id: "1" }]],
  ])("merges returned and prior values: %s", (_, name, fresh, before, state) => {
    expect(keepEqualPrior(attributes, { [name]: fresh }, { [name]: before })).toEqual({ [name]: state });
  });

  test("contains all returned values except write-only ones if there is no prior state", () => {
    expect(keepEqualPrior(attributes, { text: "", secret: "x" }, null)).toEqual({ text: "", secret: null });
  });
});
