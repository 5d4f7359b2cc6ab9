import { expect, test } from "vitest";
import { createValidator, kindNamed, type ValueProblem } from "../../src/core/kinds/index.js";

const id = "7d1f0c1e-0000-1000-8000-000000000001";
const link = { url: "https://a.example" };
const secret = { secret_name: "s", secret_type: "LLMPROVIDER_API_KEY", secret_value: "key" };

function problems(
  kindName: string,
  values: unknown,
  secretTypes: string[] = [],
): [ValueProblem["code"], string][] {
  const kind = kindNamed(kindName);
  if (!kind) throw new Error(`there is no kind ${kindName}`);
  return createValidator(kind, { secret_types: secretTypes })("it", values).map(({ code, path }) => [
    code,
    path.join("."),
  ]);
}

test.each<[name: string, kind: string, values: unknown, problems: [ValueProblem["code"], string][]]>([
  ["a whole object", "context", { name: "A", prompt: "", opening_text: "", links: [link] }, []],
  ["an object of a kind whose id is given", "avatar", { id }, []],
  [
    "nothing at all",
    "voice",
    {},
    [
      ["missing-field", "id"],
      ["missing-field", "name"],
    ],
  ],
  ["no object", "voice", "x", [["wrong-type", ""]]],
  [
    "an empty entry of a list",
    "context",
    { name: "A", prompt: "", links: [{}] },
    [["missing-field", "links.0.url"]],
  ],
  [
    "a field of an entry that does not exist",
    "context",
    { name: "A", prompt: "", links: [{ ...link, id }] },
    [["unknown-field", "links.0.id"]],
  ],
  ["an id where the service gives one", "context", { name: "A", prompt: "", id }, [["unknown-field", "id"]]],
  ["a misspelt field is one mistake", "context", { name: "A", promt: "" }, [["unknown-field", "promt"]]],
  [
    "an address of another protocol",
    "context",
    { name: "A", prompt: "", links: [{ url: "javascript:1" }] },
    [["not-a-url", "links.0.url"]],
  ],
  ["a secret's value", "secret", secret, []],
  ["a source for a secret's value", "secret", { ...secret, secret_value: { from: "env", name: "X" } }, []],
  [
    "a secret's value that is empty",
    "secret",
    { ...secret, secret_value: "" },
    [["too-short", "secret_value"]],
  ],
  [
    "a type that is not known",
    "secret",
    { ...secret, secret_type: "OTHER" },
    [["not-allowed-value", "secret_type"]],
  ],
  ["a type that is no text", "secret", { ...secret, secret_type: 1 }, [["wrong-type", "secret_type"]]],
])("%s", (_name, kind, values, expected) => {
  expect(problems(kind, values)).toEqual(expected);
});

test("a setting adds allowed values to a field", () => {
  expect(problems("secret", { ...secret, secret_type: "OTHER" }, ["OTHER"])).toEqual([]);
});
