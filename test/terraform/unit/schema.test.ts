import type { Attributes } from "@avatarops/terraform-plugin";
import { expect, test } from "vitest";
import { kinds } from "../../../src/core/kinds/index.js";
import { createProvider } from "../../../src/entrypoints/terraform/index.js";

const provider = createProvider({ version: "0.0.0", environment: {} });

test("declares a resource with all fields for each kind", () => {
  for (const { name, fields, computed } of kinds) {
    const declared = Object.keys(provider.resources[`avatarops_${name}`]?.attributes ?? {});
    const wanted = Object.keys({ ...fields, ...computed });
    const isDeclared = (one: string) => ["", "_wo", "_id"].some((ending) => declared.includes(one + ending));
    expect(wanted.filter((one) => !isDeclared(one))).toEqual([]);
  }
});

test("describes each attribute of the provider schema in full sentences", () => {
  const all = [
    provider,
    ...Object.values(provider.resources),
    ...Object.values(provider.dataSources),
    ...Object.values(provider.listResources).map((one) => ({ ...one, attributes: {} })),
    ...Object.values(provider.actions),
  ];
  const sentences = all.flatMap(({ description, attributes }) => [
    description,
    ...listDescriptions(attributes),
  ]);
  expect(sentences.filter((text) => !/^[A-Z].*[.)]$/s.test(text))).toEqual([]);
});

test("describes a data source's attributes without the rules for setting them on a resource", () => {
  const sentences = Object.values(provider.dataSources).flatMap(({ attributes }) =>
    listDescriptions(attributes),
  );
  expect(sentences.filter((text) => /resource|\d characters|Required|escape/.test(text))).toEqual([]);
  expect(provider.dataSources.avatarops_voice?.attributes).toMatchObject({
    id: { description: "Id of the voice. Set either `id` or `name`." },
    name: { description: "Exact name of the voice. Set either `id` or `name`." },
  });
});

function listDescriptions(attributes: Attributes): string[] {
  return Object.values(attributes).flatMap((one) => [
    one.description,
    ...("attributes" in one ? listDescriptions(one.attributes) : []),
  ]);
}
