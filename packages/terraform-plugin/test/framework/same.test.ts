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

describe("an object that was read or written", () => {
  test.each<[what: string, name: string, fresh: Value, before: Value, state: Value]>([
    ["keeps a text that means the same", "text", "a", "A", "A"],
    ["keeps nothing for an empty text", "text", "", null, null],
    ["has a text that means something else", "text", "b", "A", "b"],
    ["has what was not known before", "text", "a", Unknown, "a"],
    ["forgets what is write-only", "secret", "a", "a", null],
    [
      "keeps it in a single object",
      "single",
      { text: "a", id: "2" },
      { text: "A", id: "1" },
      { text: "A", id: "2" },
    ],
    [
      "keeps it at the same position",
      "list",
      [{ text: "a", id: "1" }],
      [{ text: "A", id: "1" }],
      [{ text: "A", id: "1" }],
    ],
    ["leaves what was not there before", "list", [{ text: "", id: "1" }], null, [{ text: "", id: "1" }]],
  ])("%s", (_, name, fresh, before, state) => {
    expect(keepEqualPrior(attributes, { [name]: fresh }, { [name]: before })).toEqual({ [name]: state });
  });

  test("that is new is as it is", () => {
    expect(keepEqualPrior(attributes, { text: "", secret: "x" }, null)).toEqual({ text: "", secret: null });
  });
});
