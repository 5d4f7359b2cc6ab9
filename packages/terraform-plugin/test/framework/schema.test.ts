import { describe, expect, test } from "vitest";
import { type Attribute, type Provider, schemaJson, schemaProblems, Unknown } from "../../src/index.js";
import { type Client, exampleProvider, newMemory } from "./example.js";
import { source, start } from "./start.js";

const example = exampleProvider(newMemory());
const description = "An attribute.";
const text: Attribute = { type: "string", optional: true, description };

describe("the schema", () => {
  test("as JSON is what terraform prints", { tags: "terraform" }, async () => {
    const terraform = await start("");
    const printed = JSON.parse(await terraform.succeed("providers", "schema", "-json"));
    const json = schemaJson(example, source).provider_schemas[source];
    // Terraform 1.11 does not print them.
    const newer = {
      list_resource_schemas: json?.list_resource_schemas,
      action_schemas: json?.action_schemas,
      resource_identity_schemas: json?.resource_identity_schemas,
    };
    expect({ ...newer, ...printed.provider_schemas[source] }).toEqual(json);
  });

  test("of the example has no problems", () => {
    expect(schemaProblems(example)).toEqual([]);
  });

  test.each<[problem: string, attributes: { readonly [name: string]: Attribute }]>([
    ["Name must be named with lower-case letters, digits and _", { Name: text }],
    ["for_each is reserved by Terraform", { for_each: text }],
    ["constructor is reserved in generated bindings", { constructor: text }],
    ["tools conflicts with put_tools in generated bindings", { tools: text, put_tools: text }],
    ["a must be required, optional or computed", { a: { type: "string", description } }],
    ["a is required, and thus neither optional nor computed", { a: { ...text, required: true } }],
    ["a has no description", { a: { ...text, description: "" } }],
    ["a has useStateForUnknown without being computed", { a: { ...text, useStateForUnknown: true } }],
    ["a has a default and must be optional and computed", { a: { ...text, default: "x" } }],
    ["a has a default of another type", { a: { ...text, computed: true, default: 1 } }],
    ["a has a default of another type", { a: { ...text, computed: true, default: Unknown } }],
    ["a is write-only and cannot be computed", { a: { ...text, computed: true, writeOnly: true } }],
    [
      "a is write-only: whether it changed is not seen, so it replaces nothing",
      { a: { ...text, requiresReplace: true, writeOnly: true } },
    ],
    ["a: b is in a set and cannot be write-only", { a: nested({ b: { ...text, writeOnly: true } }) }],
    [
      "a: b is in a set, which can only be replaced as a whole",
      { a: nested({ b: { ...text, requiresReplace: true } }) },
    ],
    [
      "a: b is in a set and cannot have a default: two elements might become one",
      { a: nested({ b: { ...text, computed: true, default: "x" } }) },
    ],
    ["a: b is in a set and cannot be dynamic", { a: nested({ b: { ...text, type: "dynamic" } }) }],
    ["a: resolve is reserved in generated bindings", { a: nested({ resolve: text }) }],
    [
      "a has a tuple in its type, which generated bindings do not support",
      { a: { ...text, type: ["tuple", []] } },
    ],
    [
      "a has elements of type dynamic: make the list itself dynamic",
      { a: { ...text, type: ["list", "dynamic"] } },
    ],
  ])("has the problem that %s", (problem, attributes) => {
    expect(schemaProblems(providerWith({ example_it: { ...stamp(), attributes } }))).toEqual([
      `resource example_it: ${problem}`,
    ]);
  });

  test("has problems beside those of attributes", () => {
    const write = { a: { ...text, writeOnly: true } } as const;
    const provider: Provider<Client> = {
      ...providerWith({
        other_it: { ...stamp(), version: 2, upgradeState: { 1: (raw) => raw }, identity: ["none"] },
      }),
      attributes: { alias: text },
      dataSources: {
        example_data: { description, attributes: write, read: async () => null },
      },
      listResources: { example_it: { description, attributes: write, async *list() {} } },
      actions: { example_it: { description, attributes: { provider: text }, invoke: async () => {} } },
      functions: {
        fqn: {
          summary: "",
          description,
          parameters: [{ name: "a", type: "string", description: "" }],
          variadic: { name: "a", type: "string", description },
          returns: "string",
          call: () => "",
        },
      },
    };
    expect(schemaProblems(provider)).toEqual([
      "the provider: alias is reserved by Terraform",
      'resource other_it must begin with "example_"',
      "resource other_it has none in its identity, which is no text, number or bool",
      "resource other_it cannot upgrade states of version 0",
      "data source example_data: a cannot be write-only: only an attribute of a resource can",
      "list resource example_it: a cannot be write-only: only an attribute of a resource can",
      "action example_it: provider is reserved by Terraform",
      "list resource example_it needs a resource of this name with an identity",
      "function fqn is reserved in generated bindings",
      "function fqn has no summary or no description",
      "function fqn has two parameters of one name",
      "function fqn: a has no description",
    ]);
  });
});

type Resources = Provider<Client>["resources"];

function providerWith(resources: Resources): Provider<Client> {
  const others = { dataSources: {}, ephemeralResources: {}, listResources: {}, actions: {}, functions: {} };
  return { ...example, ...others, resources };
}

function stamp(): Resources[string] {
  const { example_stamp } = example.resources;
  if (!example_stamp) throw new Error("There is no stamp.");
  return example_stamp;
}

function nested(attributes: { readonly [name: string]: Attribute }): Attribute {
  return { nesting: "set", optional: true, description, attributes };
}
