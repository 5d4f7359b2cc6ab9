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
  map: { nesting: "map", optional: true, description, attributes: part },
  set: { nesting: "set", optional: true, description, attributes: part },
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
    [
      "keeps it under the same key",
      "map",
      { k: { text: "a", id: "1" } },
      { k: { text: "A", id: "1" } },
      { k: { text: "A", id: "1" } },
    ],
    [
      "keeps it in the element of a set that it fits, also if that has something unknown",
      "set",
      [
        { text: "a", id: "1" },
        { text: "b", id: "2" },
      ],
      [
        { text: "B", id: Unknown },
        { text: "A", id: "1" },
      ],
      [
        { text: "A", id: "1" },
        { text: "B", id: "2" },
      ],
    ],
    [
      "makes no twin of an element of a set",
      "set",
      [
        { text: "a", id: "1" },
        { text: "A", id: "1" },
      ],
      [
        { text: "a", id: Unknown },
        { text: "a", id: "1" },
      ],
      [
        { text: "a", id: "1" },
        { text: "A", id: "1" },
      ],
    ],
    ["leaves what was not there before", "list", [{ text: "", id: "1" }], null, [{ text: "", id: "1" }]],
    [
      "leaves an element that fits none",
      "set",
      [{ text: "", id: "1" }],
      [{ text: "a", id: "1" }],
      [{ text: "", id: "1" }],
    ],
  ])("%s", (_, name, fresh, before, state) => {
    expect(keepEqualPrior(attributes, { [name]: fresh }, { [name]: before })).toEqual({ [name]: state });
  });

  test("that is new is as it is", () => {
    expect(keepEqualPrior(attributes, { text: "", secret: "x" }, null)).toEqual({ text: "", secret: null });
  });
});
