import type { Attributes } from "../attribute.js";
import { keepEqualPrior } from "../plan/semantic-equality.js";
import type { NewState, PrivateState, Resource } from "../provider.js";
import {
  createNullObject,
  decodeObject,
  decodePrivate,
  encodeObject,
  encodePrivate,
} from "../values/dynamic-value.js";
import { getChild, type ValueRecord } from "../values/shape.js";
import type { Value } from "../values/value.js";
import { encodeIdentity } from "./identity.js";
import type { Handler, RpcCall } from "./respond.js";
import { findDefinition, type Session, withClient } from "./session.js";

/**
 * Creates, changes or deletes one object. The returned object goes into the state even with errors, so that the next
 * apply does not create it again. If there are errors, Terraform marks a new object as tainted, or leaves the state
 * unchanged if no object is returned.
 */
export const applyResourceChange: Handler<"ApplyResourceChange"> = async (
  session,
  { typeName, ...request },
  call,
) => {
  const resource = findDefinition(session.provider.resources, typeName);
  const { attributes } = resource;
  const change: RequestedChange = {
    prior: decodeObject(request.priorState, attributes),
    planned: decodeObject(request.plannedState, attributes),
    config: decodeObject(request.config, attributes) ?? createNullObject(attributes),
    private: decodePrivate(request.plannedPrivate),
  };
  const saved = await apply(session, call, resource, change);
  if (saved === null && (change.planned === null || call.diagnostics.hasErrors())) return {};
  const state = keepEqualPrior(attributes, saved?.state ?? null, change.planned);
  const sent = keepSendable(attributes, state, call);
  return {
    newState: encodeObject(sent, attributes),
    private: encodePrivate(saved?.private ?? change.private),
    newIdentity: encodeIdentity(sent),
  };
};

interface RequestedChange {
  readonly prior: ValueRecord | null;
  readonly planned: ValueRecord | null;
  readonly config: ValueRecord;
  readonly private: PrivateState;
}

async function apply(
  session: Session,
  call: RpcCall,
  resource: Resource<unknown>,
  { prior, planned, config, private: saved }: RequestedChange,
): Promise<NewState | null> {
  if (planned === null) {
    if (prior) await resource.delete({ ...withClient(session, call), prior, private: saved });
    return null;
  }
  const input = { ...withClient(session, call), config, planned, private: saved };
  return prior === null ? resource.create(input) : resource.update({ ...input, prior });
}

/**
 * Replaces attributes that cannot be encoded with null, and reports the error. The other attributes, most importantly
 * the id, are still saved.
 */
function keepSendable(attributes: Attributes, state: Value, call: RpcCall): Value {
  try {
    encodeObject(state, attributes);
    return state;
  } catch (error) {
    call.report(error);
  }
  const parts = Object.entries(attributes).map(([name, attribute]): [string, Value] => {
    const value = getChild(state, name);
    try {
      encodeObject({ [name]: value }, { [name]: attribute });
      return [name, value];
    } catch {
      return [name, null];
    }
  });
  return Object.fromEntries(parts);
}
