import { describe, expect, test } from "vitest";
import { schemaJson } from "../../src/index.js";
import { exampleProvider, newMemory } from "./example.js";
import { source, start } from "./start.js";

const example = exampleProvider(newMemory());

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
});
