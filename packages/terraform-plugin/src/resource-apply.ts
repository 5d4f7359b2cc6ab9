import { answer, type OpenCall } from "./answer.js";
import type { Attributes } from "./attribute.js";
import { partIn } from "./parts.js";
import type { Private, Resource, Saved } from "./provider.js";
import type { Rpcs } from "./rpc.js";
import { brokenApplyRules, brokenReadRules } from "./rules.js";
import { settled } from "./same.js";
import { definitionOf, type Session, withClient } from "./session.js";
import type { ValueRecord } from "./shape.js";
import { Refusal } from "./trouble.js";
import type { Value } from "./value.js";
import { nothingOf, receivedObject, receivedPrivate, sentObject, sentPrivate } from "./wire-value.js";

/**
 * Makes, changes or deletes one object.
 *
 * What the resource says was saved goes into the state whatever else is wrong: it is there now, and a state that does not
 * know of it would have it made a second time. With errors, the core takes a new object for tainted. No state, with
 * errors, leaves the state as it was.
 */
export function applying<Client>(session: Session<Client>): Rpcs["ApplyResourceChange"] {
  return ({ typeName, ...request }) =>
    answer(session, "ApplyResourceChange", typeName, async (call) => {
      const resource = definitionOf(session.provider.resources, typeName);
      const { attributes } = resource;
      const change: Change = {
        prior: receivedObject(request.priorState, attributes),
        planned: receivedObject(request.plannedState, attributes),
        config: receivedObject(request.config, attributes) ?? nothingOf(attributes),
        private: receivedPrivate(request.plannedPrivate),
      };
      const saved = await apply(session, call, resource, change);
      if (saved === null && (change.planned === null || call.report.hasErrors())) return {};
      const state = settled(attributes, saved?.state ?? null, change.planned);
      // After an error, what was made need not be what was planned.
      call.breaks(
        call.report.hasErrors()
          ? brokenReadRules({ attributes, state })
          : brokenApplyRules({ attributes, planned: change.planned, state }),
      );
      return {
        newState: sentObject(rescued(attributes, state), attributes),
        private: sentPrivate(saved?.private ?? change.private),
      };
    });
}

interface Change {
  readonly prior: ValueRecord | null;
  readonly planned: ValueRecord | null;
  readonly config: ValueRecord;
  readonly private: Private;
}

async function apply<Client>(
  session: Session<Client>,
  call: OpenCall,
  resource: Resource<Attributes, Client>,
  { prior, planned, config, private: kept }: Change,
): Promise<Saved<Attributes> | null> {
  if (planned === null) {
    if (prior && resource.delete)
      await resource.delete({ ...withClient(session, call), prior, private: kept });
    return null;
  }
  const wanted = { ...withClient(session, call), config, planned, private: kept };
  if (prior === null) return resource.create(wanted);
  if (resource.update) return resource.update({ ...wanted, prior });
  throw new Refusal(
    "It cannot be changed in place",
    "Only a new object can have this change: `terraform apply -replace=ADDRESS` makes one.",
  );
}

/** Of a state that cannot be sent, what can: an id that is kept is worth more than a message about another attribute. */
function rescued(attributes: Attributes, state: Value): Value {
  if (brokenReadRules({ attributes, state }).length === 0) return state;
  const parts = Object.entries(attributes).map(([name, attribute]): [string, Value] => {
    const value = partIn(state, name);
    const broken = brokenReadRules({ attributes: { [name]: attribute }, state: { [name]: value } });
    return [name, broken.length === 0 ? value : null];
  });
  return Object.fromEntries(parts);
}
