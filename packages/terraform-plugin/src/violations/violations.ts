import type { Attributes } from "../attribute.js";
import { objectType } from "../schema/schema-type.js";
import { Unknown, type Value } from "../values/value.js";
import { planDifferences } from "./apply-violations.js";
import { commonViolations, unknownViolations } from "./common-violations.js";
import { configViolations } from "./plan-violations.js";
import type { Violation } from "./violation.js";

/*
 * What Terraform demands of a provider's answers, checked before it does: it reports a broken rule with the Go spelling
 * of whole values, and as the provider's bug without a place in its code. The rules, as Terraform has them:
 *
 * A plan may differ from the configuration only (1) where that is null and the attribute is computed, (2) where the
 * attribute is computed only, or (3) by keeping the value of before, which says that both mean the same. What is nested
 * has as many elements, under the same keys, as the configuration, and is held to the same rules; of sets only the
 * count can be held, for their elements have no names. (4) A write-only attribute is null in every answer.
 *
 * An applied state (5) holds nothing unknown and (6) differs from the plan only where that was unknown.
 *
 * Every answer (7) is of the type of the schema, with exactly its attributes.
 */

/** What is wrong with a planned state. `config` is null for an object to be deleted, `prior` for a new one. */
export function planViolations(plan: {
  readonly attributes: Attributes;
  readonly config: Value;
  readonly prior: Value;
  readonly planned: Value;
}): readonly Violation[] {
  const { attributes, config, planned } = plan;
  if (config === null || planned === null) {
    if (config === planned) return [];
    return whole(config === null ? "is to be deleted and must be planned null" : "must not be planned null");
  }
  if (planned === Unknown) return whole("must not be planned unknown as a whole");
  return orElse(commonViolations(attributes, planned), () => configViolations(attributes, plan));
}

/** What is wrong with the state that an apply of a plan led to. */
export function applyViolations(apply: {
  readonly attributes: Attributes;
  readonly planned: Value;
  readonly state: Value;
}): readonly Violation[] {
  const { attributes, planned, state } = apply;
  if (state === null || planned === null) {
    if (state === planned) return [];
    return whole(planned === null ? "was deleted and must be null" : "must not be null after the apply");
  }
  return orElse(stateViolations({ attributes, state }), () =>
    planDifferences(planned, state, objectType(attributes)),
  );
}

/** What is wrong with a state that was read, imported or upgraded. null says that the object is gone. */
export function stateViolations(read: {
  readonly attributes: Attributes;
  readonly state: Value;
}): readonly Violation[] {
  const { attributes, state } = read;
  if (state === null) return [];
  return orElse(commonViolations(attributes, state), () => unknownViolations(state, objectType(attributes)));
}

/** What is wrong with what a data source gave for a configuration that is wholly known. */
export function resultViolations(result: {
  readonly attributes: Attributes;
  readonly config: Value;
  readonly result: Value;
}): readonly Violation[] {
  const { attributes, config, result: state } = result;
  if (state === null) return whole("must not be null");
  return orElse(stateViolations({ attributes, state }), () =>
    configViolations(attributes, { config, prior: null, planned: state }),
  );
}

function whole(rule: string): readonly Violation[] {
  return [{ path: [], rule }];
}

/** Later rules make sense only where the earlier ones hold. */
function orElse(violations: readonly Violation[], next: () => readonly Violation[]): readonly Violation[] {
  return violations.length > 0 ? violations : next();
}
