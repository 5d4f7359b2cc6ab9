import type { Attributes } from "@avatarops/terraform-plugin";
import { describe, expect, expectTypeOf, test } from "vitest";
import type * as constructs from "../../src/core/constructs/index.js";
import {
  type Field,
  isRemovable,
  isSupersededOnChange,
  type Kind,
  kinds,
} from "../../src/core/kinds/index.js";
import { toCamelCase } from "../../src/core/manifest/index.js";
import type * as room from "../../src/entrypoints/cdktf/index.js";
import { createProvider } from "../../src/entrypoints/terraform/index.js";
import { cdktn, newStack, readOnlyBlock, synth } from "./flavors.js";

describe("construct properties", () => {
  test("include every TypeScript project property that Terraform supports", () => {
    // Excludes `protect` and `ignoreChanges`, which Terraform has in `lifecycle`, and `defaultVoice`, which is
    // read-only in Terraform.
    type Words<Props> = Exclude<keyof Props, "protect" | "ignoreChanges" | "defaultVoice">;
    expectTypeOf<Words<constructs.AvatarProps>>().toExtend<keyof room.AvatarProps>();
    expectTypeOf<Words<constructs.VoiceProps>>().toExtend<keyof room.VoiceProps>();
    expectTypeOf<Words<constructs.ContextProps>>().toExtend<keyof room.ContextProps>();
    expectTypeOf<readonly { url: string; faq: string }[]>().toExtend<room.ContextProps["links"]>();
    expectTypeOf<Words<constructs.SecretProps>>().toExtend<keyof room.SecretProps>();
    expectTypeOf<Words<constructs.LlmConfigurationProps>>().toExtend<keyof room.LlmConfigurationProps>();
  });

  test.each(kinds.map((kind) => [kind.name, kind] as const))("match the %s fields", (name, kind) => {
    const { library, ours } = cdktn;
    const stack = newStack();
    const { stringValue: token } = new library.TerraformVariable(stack, "token", { sensitive: true });

    const made = ours[kind.className as keyof typeof ours] as unknown as AnyConstruct;
    new made(stack, "one", createProps(kind, token));

    const attributes = readOnlyBlock(synth(stack).resource, `avatarops_${name}`);
    const { resources } = createProvider({ version: "0.0.0", environment: {} });
    const settable = Object.entries(resources[`avatarops_${name}`]?.attributes ?? {})
      .filter(
        ([attribute, { required, optional }]) => (required || optional) && !/_wo_version$/.test(attribute),
      )
      .map(([attribute]) => attribute);
    expect(Object.keys(attributes).sort()).toEqual(settable.sort());
  });
});

type AnyConstruct = new (scope: unknown, id: string, props: unknown) => object;

/** Returns every field of a kind, named as in code. */
function createProps(kind: Kind, token: string): Readonly<Record<string, unknown>> {
  const { identity, fields } = kind;
  const sample = (field: Field): unknown => {
    if (field.type === "list") return [sample(field.item)];
    if (field.type !== "object") return token;
    return Object.fromEntries(
      Object.entries(field.parts).map(([key, part]) => [toCamelCase(key), sample(part)]),
    );
  };
  return {
    ...(identity === "adopted" ? { id: token } : {}),
    ...Object.fromEntries(Object.entries(fields).map(([name, field]) => [toCamelCase(name), sample(field)])),
    ...(isRemovable(kind) ? { onRemoval: token } : {}),
    ...(isSupersededOnChange(kind) ? { onRotation: token } : {}),
    timeouts: { create: "30s" },
  };
}

/*
 * Generated names must not clash with each other or with members of CDKTF classes, because such code does not compile
 * or hides a method. The generators rename only some of these names.
 */
describe("Terraform attribute names", () => {
  const taken = ["constructor", "add_override", "raw_overrides", "to_terraform", "fqn", "friendly_unique_id"];
  const takenWithin = ["internal_value", "resolve"];
  const { attributes, resources, dataSources } = createProvider({
    version: "0.0.0",
    environment: {},
  });
  const schemas = [
    ["the provider", { attributes }] as const,
    ...[resources, dataSources].flatMap((all) => Object.entries(all)),
  ];

  test.each(schemas)("are valid class member names in %s", (_, schema) => {
    expect(findProblems(schema.attributes, taken)).toEqual([]);
  });

  function findProblems(given: Attributes, forbidden: readonly string[]): string[] {
    const names = Object.keys(given);
    const derived = names.flatMap((name) => [`${name}_input`, `reset_${name}`, `put_${name}`]);
    return [
      ...names.filter((name) => forbidden.includes(name) || derived.includes(name)),
      ...Object.values(given).flatMap((one) =>
        "attributes" in one ? findProblems(one.attributes, [...taken, ...takenWithin]) : [],
      ),
    ];
  }
});
