import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sameValue } from "../../../../src/terraform/plugin/equal.js";
import { planOf } from "../../../../src/terraform/plugin/plan.js";
import { brokenApplyRules, brokenPlanRules } from "../../../../src/terraform/plugin/rules.js";
import { settled } from "../../../../src/terraform/plugin/same.js";
import { typeOf } from "../../../../src/terraform/plugin/schema-type.js";
import { isWhollyKnown } from "../../../../src/terraform/plugin/unknowns.js";
import { anyAttributes, appliedOf, configOf, stateOf } from "./random.js";

describe("a plan of the framework", () => {
  test("breaks no rule of the core, whatever the schema, the configuration and the prior state", () => {
    const cases = anyAttributes().chain((attributes) =>
      fc.record({
        attributes: fc.constant(attributes),
        config: configOf(attributes, true),
        prior: fc.option(stateOf(attributes)),
      }),
    );
    fc.assert(
      fc.property(cases, ({ attributes, config, prior }) => {
        const planned = planOf(attributes, config, prior);
        expect(brokenPlanRules({ attributes, config, prior, planned })).toEqual([]);
      }),
    );
  });

  test("once applied has nothing more to do", () => {
    const cases = anyAttributes().chain((attributes) =>
      fc.tuple(configOf(attributes, false), fc.option(stateOf(attributes))).chain(([config, prior]) => {
        const planned = planOf(attributes, config, prior);
        const state = appliedOf(planned, typeOf(attributes)).map((value) =>
          settled(attributes, value, planned),
        );
        return fc.record({
          attributes: fc.constant(attributes),
          config: fc.constant(config),
          planned: fc.constant(planned),
          state,
        });
      }),
    );
    fc.assert(
      fc.property(cases, ({ attributes, config, planned, state }) => {
        expect(brokenApplyRules({ attributes, planned, state })).toEqual([]);
        const again = planOf(attributes, config, state as typeof config);
        expect(isWhollyKnown(again, typeOf(attributes))).toBe(true);
        expect(sameValue(again, state, typeOf(attributes))).toBe(true);
      }),
    );
  });
});
