import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Attributes } from "../../src/attribute.js";
import { proposePlan } from "../../src/plan/propose-plan.js";
import { keepEqualPrior } from "../../src/plan/semantic-equality.js";
import { toObjectType } from "../../src/schema/schema-type.js";
import { isIdentical } from "../../src/values/equal.js";
import { getChild, isList, isWhollyKnown, type ValueRecord } from "../../src/values/shape.js";
import { Unknown, type Value } from "../../src/values/value.js";
import { generateAttributes, generateConfigs, generateResults, generateStates } from "./random.js";

describe("framework plan", () => {
  test("follows Terraform's rules for any schema, configuration and prior state", () => {
    const cases = generateAttributes().chain((attributes) =>
      fc.record({
        attributes: fc.constant(attributes),
        config: generateConfigs(attributes, true),
        prior: fc.option(generateStates(attributes)),
        unset: fc.subarray(Object.keys(attributes).filter((name) => attributes[name]?.computed)),
      }),
    );
    fc.assert(
      fc.property(cases, ({ attributes, config, prior, unset }) => {
        const planned = proposePlan(attributes, config, prior, unset);
        expect(isTaken(attributes, config, prior, planned)).toBe(true);
      }),
    );
  });

  test("contains no changes right after an apply", () => {
    const cases = generateAttributes().chain((attributes) =>
      fc
        .tuple(generateConfigs(attributes, false), fc.option(generateStates(attributes)))
        .chain(([config, prior]) => {
          const planned = proposePlan(attributes, config, prior);
          const state = generateResults(planned, toObjectType(attributes)).map((value) =>
            keepEqualPrior(attributes, value, planned),
          );
          return fc.record({
            attributes: fc.constant(attributes),
            config: fc.constant(config),
            state,
          });
        }),
    );
    fc.assert(
      fc.property(cases, ({ attributes, config, state }) => {
        const again = proposePlan(attributes, config, state as typeof config);
        expect(isWhollyKnown(again)).toBe(true);
        expect(isIdentical(again, state)).toBe(true);
      }),
    );
  });

  const description = "";

  test("keeps computed values if only a `stateOnly` attribute changes", () => {
    const attributes: Attributes = {
      name: { type: "string", required: true, description },
      patience: { type: "string", optional: true, stateOnly: true, description },
      revision: { type: "number", computed: true, description },
    };
    const prior = { name: "one", patience: null, revision: 7 };
    const planned = (name: string, patience: string) =>
      proposePlan(attributes, { name, patience, revision: null }, prior);
    expect(planned("one", "5m")).toEqual({ ...prior, patience: "5m" });
    expect(planned("two", "5m")).toEqual({ name: "two", patience: "5m", revision: Unknown });
  });

  test("keeps an omitted attribute's prior value, including null, and clears it when the attribute is removed", () => {
    const attributes: Attributes = {
      name: { type: "string", required: true, description },
      text: { type: "string", optional: true, computed: true, useStateForUnknown: "even-null", description },
      revision: { type: "number", computed: true, description },
    };
    const config = { name: "two", text: null, revision: null };
    const planned = (prior: ValueRecord | null, ...unset: string[]) =>
      proposePlan(attributes, config, prior, unset);
    expect(planned({ name: "one", text: null, revision: 7 })).toEqual({ ...config, revision: Unknown });
    const kept = { name: "two", text: "theirs", revision: 7 };
    expect(planned(kept)).toEqual(kept);
    expect(planned(kept, "text")).toEqual({ ...config, revision: Unknown });
    expect(planned({ ...kept, text: null }, "text")).toEqual({ ...kept, text: null });
    expect(planned(null)).toEqual({ name: "two", text: Unknown, revision: Unknown });
  });

  test("marks computed values as unknown only if another attribute changes", () => {
    const attributes: Attributes = {
      name: { type: "string", required: true, description },
      id: { type: "string", computed: true, useStateForUnknown: true, description },
      first: { type: "string", computed: true, useStateForUnknown: true, description },
      revision: { type: "number", computed: true, description },
    };
    const prior = { name: "one", id: "1", first: null, revision: 7 };
    const config = { name: "one", id: null, first: null, revision: null };
    expect(proposePlan(attributes, config, prior)).toEqual(prior);
    expect(proposePlan(attributes, { ...config, name: "two" }, prior)).toEqual({
      name: "two",
      id: "1",
      first: Unknown,
      revision: Unknown,
    });
    expect(proposePlan(attributes, config, null)).toEqual({
      name: "one",
      id: Unknown,
      first: Unknown,
      revision: Unknown,
    });
  });
});

/**
 * Whether Terraform accepts a plan. A planned value may differ from the configuration only if the provider sets it or
 * if it equals the prior value.
 */
function isTaken(attributes: Attributes, config: Value, prior: Value, planned: Value): boolean {
  return Object.entries(attributes).every(([name, attribute]) => {
    const given = getChild(config, name);
    const was = getChild(prior, name);
    const will = getChild(planned, name);
    if (attribute.writeOnly) return will === null;
    if (isIdentical(will, given)) return true;
    if (given === null) return attribute.computed === true;
    if (was !== null && isIdentical(will, was)) return true;
    if ("type" in attribute) return false;
    if (attribute.nesting === "single") return isTaken(attribute.attributes, given, was, will);
    if (!isList(given) || !isList(will) || given.length !== will.length) return false;
    return will.every((part, at) =>
      isTaken(attribute.attributes, getChild(given, at), getChild(was, at), part),
    );
  });
}
