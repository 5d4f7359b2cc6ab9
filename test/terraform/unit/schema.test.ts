import type { Attributes } from "@avatarops/terraform-plugin";
import { expect, test } from "vitest";
import { kinds } from "../../../src/core/kinds/index.js";
import { createProvider } from "../../../src/entrypoints/terraform/index.js";

const provider = createProvider({ version: "0.0.0", environment: {} });

test("every kind is a resource with all its fields, none of them twice", () => {
  for (const { name, fields, computed } of kinds) {
    const told = Object.keys(provider.resources[`avatarops_${name}`]?.attributes ?? {});
    const wanted = Object.keys({ ...fields, ...computed });
    const isTold = (one: string) => ["", "_wo", "_id"].some((ending) => told.includes(one + ending));
    expect(wanted.filter((one) => !isTold(one))).toEqual([]);
  }
});

test("every attribute says what it is, in whole sentences", () => {
  const all = [
    provider,
    ...Object.values(provider.resources),
    ...Object.values(provider.dataSources),
    ...Object.values(provider.listResources).map((one) => ({ ...one, attributes: {} })),
    ...Object.values(provider.actions),
  ];
  const sentences = all.flatMap(({ description, attributes }) => [
    description,
    ...descriptionsOf(attributes),
  ]);
  expect(sentences.filter((text) => !/^[A-Z].*[.)]$/s.test(text))).toEqual([]);
});

function descriptionsOf(attributes: Attributes): string[] {
  return Object.values(attributes).flatMap((one) => [
    one.description,
    ...("attributes" in one ? descriptionsOf(one.attributes) : []),
  ]);
}
