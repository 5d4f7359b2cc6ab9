import { keepEqualPrior } from "../plan/semantic-equality.js";
import type { RawState } from "../protocol/messages.js";
import type { MessageOf } from "../protocol/protobuf.js";
import { identityType, toObjectType } from "../schema/schema-type.js";
import { encodeObject, parseJson } from "../values/dynamic-value.js";
import { readValue } from "../values/read-value.js";
import { isRecord, type ValueRecord } from "../values/shape.js";
import { ValueError } from "../values/value-error.js";
import { DiagnosticError } from "./error-diagnostic.js";
import { encodeIdentity } from "./identity.js";
import type { Handler } from "./respond.js";
import { findDefinition } from "./session.js";

/** Reads a stored state of this or an earlier schema version. Called for every object before the refresh. */
export const upgradeResourceState: Handler<"UpgradeResourceState"> = (
  session,
  { typeName, version, rawState },
) => {
  const resource = findDefinition(session.provider.resources, typeName);
  const { attributes } = resource;
  const upgraders = resource.stateUpgraders ?? [];
  const raw = parseStored(version, rawState, upgraders.length);
  const upgraded = upgraders.slice(version).reduce((state, upgrade) => upgrade(state), raw);
  const state = readStored(() => readValue(upgraded, toObjectType(attributes)));
  return { upgradedState: encodeObject(keepEqualPrior(attributes, state, null), attributes) };
};

/** Reads a stored identity. */
export const upgradeResourceIdentity: Handler<"UpgradeResourceIdentity"> = (
  _session,
  { version, rawIdentity },
) => {
  const raw = parseStored(version, rawIdentity, 0);
  return { upgradedIdentity: encodeIdentity(readStored(() => readValue(raw, identityType))) };
};

function parseStored(
  version: number,
  rawState: MessageOf<typeof RawState> | undefined,
  current: number,
): ValueRecord {
  if (version > current)
    throw new DiagnosticError(
      "A newer version of the provider wrote the state",
      `Its schema version is ${version}, and this provider supports up to ${current}. Use the provider version that wrote the state, or a newer one.`,
    );
  return readStored(() => {
    const parsed = parseJson(rawState?.json ?? new Uint8Array());
    if (isRecord(parsed)) return parsed;
    throw new ValueError("it is not an object");
  });
}

function readStored<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    throw new DiagnosticError(
      "The stored state cannot be read",
      `It does not match the schema: ${error.message}. If it was edited by hand, restore a backup, or remove the object from the state (\`terraform state rm ADDRESS\`) and import it.`,
    );
  }
}
