import { Unknown } from "@avatarops/terraform-plugin";
import type { Kind } from "../../core/kinds/index.js";
import { updateObject } from "../../core/lifecycle/index.js";
import { servedBy } from "./account/same-service.js";
import type { SavedValues, UpdateCall } from "./calls.js";
import { storeObject } from "./create.js";
import { supersededNotDeleted } from "./diagnostics.js";
import { idsIn, makeFingerprints } from "./rotation.js";
import { reportFailure, saveWritten, toWriteContext } from "./save.js";
import { chooseStrategy } from "./strategy.js";
import { toSpec, type Values } from "./values.js";

/** Answers an update. Null: what was there is kept. */
export function updateResource(kind: Kind, call: UpdateCall): Promise<SavedValues | null> {
  return chooseStrategy(kind) === "rotate" ? rotateObject(kind, call) : updateInPlace(kind, call);
}

/** Changes an object in place, if it is still what the plan took it to be (rule 4). */
async function updateInPlace(kind: Kind, call: UpdateCall): Promise<SavedValues | null> {
  const id = String(call.prior.id);
  const expected = { spec: toSpec(kind, call.prior) };
  const result = await updateObject(toWriteContext(kind, call), id, { expected });
  return result.outcome === "written"
    ? saveWritten(kind, call, result)
    : reportFailure(kind, call, result, { update: id });
}

/** Stores another object in the place of one that is written once; where none is needed, records what is configured. */
async function rotateObject(kind: Kind, call: UpdateCall): Promise<SavedValues | null> {
  const { open, prior, planned, diagnostics } = call;
  const superseded = idsIn(prior.superseded_ids);
  if (planned.id !== Unknown) {
    const state: Values = { ...planned, superseded_ids: superseded };
    return { state, private: { ...servedBy(open), ...(await makeFingerprints(kind, call)) } };
  }
  const saved = await storeObject(kind, call, [...superseded, String(prior.id)]);
  if (saved) supersededNotDeleted(kind, String(prior.id), diagnostics);
  return saved;
}
