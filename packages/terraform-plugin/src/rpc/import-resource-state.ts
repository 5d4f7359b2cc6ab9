import { keepEqualPrior } from "../plan/semantic-equality.js";
import { createNullObject, encodeObject } from "../values/dynamic-value.js";
import { DiagnosticError } from "./error-diagnostic.js";
import { decodeIdentity, encodeIdentity } from "./identity.js";
import type { Handler } from "./respond.js";
import { findDefinition, withClient } from "./session.js";

/** Returns the initial state of an existing object. Terraform reads the object next. */
export const importResourceState: Handler<"ImportResourceState"> = async (
  session,
  { typeName, id: given, identity: sent },
  call,
) => {
  const resource = findDefinition(session.provider.resources, typeName);
  const { attributes } = resource;
  const id = decodeIdentity(sent) ?? given;
  const known = await resource.importState({ ...withClient(session, call), id });
  if (call.diagnostics.hasErrors()) return {};
  if (known === null)
    throw new DiagnosticError(
      "The object to import does not exist",
      `No ${typeName} has the id ${JSON.stringify(id)}. Correct the id.`,
    );
  const state = keepEqualPrior(attributes, Object.assign(createNullObject(attributes), known), null);
  return {
    importedResources: [
      { typeName, state: encodeObject(state, attributes), identity: encodeIdentity(state) },
    ],
  };
};
