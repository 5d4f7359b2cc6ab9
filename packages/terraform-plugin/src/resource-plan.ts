import { answer } from "./answer.js";
import type { Attributes } from "./attribute.js";
import { sentPath } from "./diagnostics.js";
import { planOf } from "./plan.js";
import type { Planned } from "./provider.js";
import { changedAmong, replacements } from "./replace.js";
import type { Rpcs } from "./rpc.js";
import { brokenPlanRules } from "./rules.js";
import { definitionOf, type Session, withClient } from "./session.js";
import { refuseMissing } from "./validate.js";
import { nothingOf, receivedObject, receivedPrivate, sentObject, sentPrivate } from "./wire-value.js";

/** Plans what becomes of one object: the framework first, then the resource, then the rules. */
export function planning<Client>(session: Session<Client>): Rpcs["PlanResourceChange"] {
  return ({ typeName, ...request }) =>
    answer(session, "PlanResourceChange", typeName, async (call) => {
      const resource = definitionOf(session.provider.resources, typeName);
      const { attributes } = resource;
      const config = receivedObject(request.config, attributes);
      const prior = receivedObject(request.priorState, attributes);
      const kept = receivedPrivate(request.priorPrivate);
      if (config) refuseMissing(attributes, config, call.report);
      if (call.report.hasErrors()) return {};
      // To be deleted is what has no configuration any more.
      const unset = (config && resource.unset?.({ config, private: kept })) ?? [];
      const framed = config && planOf(attributes, config, prior, unset);
      const refined: Planned<Attributes> =
        (await resource.plan?.({
          ...withClient(session, call),
          config: config ?? nothingOf(attributes),
          prior,
          planned: framed,
          private: kept,
        })) ?? {};
      const planned = refined.planned ?? framed;
      if (call.report.hasErrors()) return {};
      if (call.breaks(brokenPlanRules({ attributes, config, prior, planned }))) return {};
      const whatever = resource.update === undefined;
      const paths = [...replacements({ attributes, prior, planned, whatever }), ...(refined.replace ?? [])];
      return {
        plannedState: sentObject(planned, attributes),
        plannedPrivate: sentPrivate(refined.private ?? kept),
        requiresReplace:
          prior && planned ? changedAmong(paths, attributes, prior, planned).map(sentPath) : [],
      };
    });
}
