import { proposePlan } from "../plan/propose-plan.js";
import type { PlanModification } from "../provider.js";
import {
  createNullObject,
  decodeObject,
  decodePrivate,
  encodeObject,
  encodePrivate,
} from "../values/dynamic-value.js";
import { isIdentical } from "../values/equal.js";
import { encodePath } from "./diagnostic-list.js";
import { encodeIdentity } from "./identity.js";
import type { Handler } from "./respond.js";
import { findDefinition, withClient } from "./session.js";
import { rejectMissing } from "./validate-config.js";

/** Plans the change to one object. The framework plans first, then the resource. */
export const planResourceChange: Handler<"PlanResourceChange"> = async (
  session,
  { typeName, ...request },
  call,
) => {
  const resource = findDefinition(session.provider.resources, typeName);
  const { attributes } = resource;
  const config = decodeObject(request.config, attributes);
  const prior = decodeObject(request.priorState, attributes);
  const saved = decodePrivate(request.priorPrivate);
  if (config) rejectMissing(attributes, config, call.diagnostics);
  if (call.diagnostics.hasErrors()) return {};
  // Without a configuration, the object will be deleted.
  const unset = (config && resource.unset?.({ config, private: saved })) ?? [];
  const proposed = config && proposePlan(attributes, config, prior, unset);
  const refined: PlanModification =
    (await resource.modifyPlan?.({
      ...withClient(session, call),
      config: config ?? createNullObject(attributes),
      prior,
      planned: proposed,
      private: saved,
    })) ?? {};
  const planned = refined.planned ?? proposed;
  if (call.diagnostics.hasErrors()) return {};
  return {
    plannedState: encodeObject(planned, attributes),
    plannedPrivate: encodePrivate(refined.private ?? saved),
    plannedIdentity: encodeIdentity(planned),
    requiresReplace: Object.entries(attributes)
      .filter(
        ([name, { requiresReplace }]) =>
          requiresReplace && prior && planned && !isIdentical(prior[name], planned[name]),
      )
      .map(([name]) => encodePath([name])),
  };
};
