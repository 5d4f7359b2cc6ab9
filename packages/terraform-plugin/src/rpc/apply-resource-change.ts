import type { Attributes } from "../attribute.js";
import { keepEqualPrior } from "../plan/semantic-equality.js";
import type { NewState, PrivateState, Resource } from "../provider.js";
import {
  decodeObject,
  decodePrivate,
  encodeObject,
  encodePrivate,
  nullObject,
} from "../values/dynamic-value.js";
import { childAt, type ValueRecord } from "../values/shape.js";
import type { Value } from "../values/value.js";
import { encodeIdentity } from "./identity.js";
import type { Handler, RpcCall } from "./respond.js";
import { findDefinition, type Session, withClient } from "./session.js";

/**
 * Makes, changes or deletes one object.
 *
 * What the resource says was saved goes into the state whatever else is wrong: it is there now, and a state that does not
 * know of it would have it made a second time. With errors, Terraform takes a new object for tainted. No state, with
 * errors, leaves the state as it was.
 */
export const applyResourceChange: Handler<"ApplyResourceChange"> = async (
  session,
  { typeName, ...request },
  call,
) => {
  const resource = findDefinition(session.provider.resources, typeName);
  const { attributes } = resource;
  const change: Change = {
    prior: decodeObject(request.priorState, attributes),
    planned: decodeObject(request.plannedState, attributes),
    config: decodeObject(request.config, attributes) ?? nullObject(attributes),
    private: decodePrivate(request.plannedPrivate),
  };
  const saved = await apply(session, call, resource, change);
  if (saved === null && (change.planned === null || call.diagnostics.hasErrors())) return {};
  const state = keepEqualPrior(attributes, saved?.state ?? null, change.planned);
  const sent = sendable(attributes, state, call);
  return {
    newState: encodeObject(sent, attributes),
    private: encodePrivate(saved?.private ?? change.private),
    newIdentity: encodeIdentity(sent),
  };
};

interface Change {
  readonly prior: ValueRecord | null;
  readonly planned: ValueRecord | null;
  readonly config: ValueRecord;
  readonly private: PrivateState;
}

async function apply(
  session: Session,
  call: RpcCall,
  resource: Resource<unknown>,
  { prior, planned, config, private: kept }: Change,
): Promise<NewState | null> {
  if (planned === null) {
    if (prior) await resource.delete({ ...withClient(session, call), prior, private: kept });
    return null;
  }
  const wanted = { ...withClient(session, call), config, planned, private: kept };
  return prior === null ? resource.create(wanted) : resource.update({ ...wanted, prior });
}

/** The part of a state that can be sent: an id that is kept is worth more than a message about another attribute. */
function sendable(attributes: Attributes, state: Value, call: RpcCall): Value {
  try {
    encodeObject(state, attributes);
    return state;
  } catch (error) {
    call.report(error);
  }
  const parts = Object.entries(attributes).map(([name, attribute]): [string, Value] => {
    const value = childAt(state, name);
    try {
      encodeObject({ [name]: value }, { [name]: attribute });
      return [name, value];
    } catch {
      return [name, null];
    }
  });
  return Object.fromEntries(parts);
}
