import { type NewState, Unknown } from "@avatarops/terraform-plugin";
import type { Kind } from "../../core/kinds/index.js";
import { createObject, updateObject } from "../../core/lifecycle/index.js";
import { recordService } from "./account/same-service.js";
import type { UpdateCall, WriteCall } from "./calls.js";
import { deleteSuperseded, deleteSupersededUsedBy } from "./delete-superseded.js";
import { reportUnconfirmedName } from "./diagnostics.js";
import { recordApplied } from "./edits-elsewhere.js";
import { keepFingerprints, makeFingerprints } from "./rotation.js";
import {
  reportFailure,
  reportMismatches,
  reportTakenName,
  saveWritten,
  toCreateContext,
  toWriteContext,
} from "./save.js";
import { chooseStrategy } from "./strategy.js";
import { readIdsInUse } from "./superseded-ids.js";
import { findDifferences, readIds, toObjectId, toSpec, toState } from "./values.js";

/** Creates or adopts an object, depending on its kind. Returns null after a reported error. */
export function createResource(kind: Kind, call: WriteCall): Promise<NewState | null> {
  switch (chooseStrategy(kind)) {
    case "adopt":
      return adoptObject(kind, call);
    case "create":
      return createOnce(kind, call);
    case "rotate":
      return storeObject(kind, call, []);
  }
}

/**
 * Adopts an existing object and writes the fields that differ. The values in the user's plan are unknown here, because
 * Terraform plans a create again during the apply and passes nothing from the first plan.
 */
async function adoptObject(kind: Kind, call: WriteCall): Promise<NewState | null> {
  const id = toObjectId(call.config);
  const result = await updateObject(toWriteContext(kind, call), id, { skipIfSame: true });
  return result.outcome === "written"
    ? saveWritten(kind, call, result)
    : reportFailure(kind, call, result, { adopt: id });
}

/** Creates an object with a name that the plan of this run has reserved. Frees the name if the create fails. */
async function createOnce(kind: Kind, call: WriteCall): Promise<NewState | null> {
  const label = String(call.planned[kind.label]);
  let saved: NewState | null = null;
  try {
    saved = await createOrAdoptAgain(kind, call, label);
    return saved;
  } finally {
    if (!saved) call.account.ownership.releaseName(kind, label);
  }
}

async function createOrAdoptAgain(kind: Kind, call: WriteCall, label: string): Promise<NewState | null> {
  const { objects, ownership } = call.account;
  const context = toWriteContext(kind, call);
  const lookup = await objects.findByName(kind, label);
  if (lookup.outcome === "unknown") return reportUnconfirmedName(kind, label, lookup.doubt, call.diagnostics);
  const namesakes = lookup.outcome === "found" ? lookup.found : [];
  const [first, ...others] = namesakes;
  const released = first && ownership.findReleased(kind, first.id);
  if (first && !(released && others.length === 0)) return reportTakenName(kind, call, namesakes);
  if (first && released) {
    const result = await updateObject(context, first.id, { expected: { spec: released }, skipIfSame: true });
    if (result.outcome === "written") return saveWritten(kind, call, result);
    if (result.outcome !== "gone" || result.error)
      return reportFailure(kind, call, result, { update: first.id });
    const rest = await objects.findByName(kind, label, [first.id]);
    if (rest.outcome === "unknown") return reportUnconfirmedName(kind, label, rest.doubt, call.diagnostics);
  }
  const result = await createObject(toCreateContext(kind, call));
  return result.outcome === "written"
    ? saveWritten(kind, call, result)
    : reportFailure(kind, call, result, { create: true });
}

/** Creates an object that supersedes the objects with the given ids. These ids stay in the state. */
async function storeObject(
  kind: Kind,
  call: WriteCall,
  superseded: readonly string[],
): Promise<NewState | null> {
  const { objects, ownership } = call.account;
  // Names are not unique, so the search after a lost response excludes every object that existed before the create.
  const before = kind.list && (await objects.list(kind, { fresh: true }));
  const isForeign = (id: string) => before?.findById(id).outcome === "found" || ownership.isClaimed(kind, id);
  // Fingerprints are made before the create, because a failure after it would lose the new id.
  const saved = { ...recordService(call.account), ...(await makeFingerprints(kind, call)) };
  const result = await createObject({ ...toCreateContext(kind, call), isForeign });
  if (result.outcome !== "written") return reportFailure(kind, call, result, { create: true });
  reportMismatches(kind, result, call.diagnostics);
  objects.forgetList(kind);
  ownership.claim(kind, result.live.id);
  return {
    state: { ...toState(kind, result.live, call.planned), superseded_ids: superseded },
    private: saved,
  };
}

/** Updates or rotates an object. Returns null to keep the prior state. */
export function updateResource(kind: Kind, call: UpdateCall): Promise<NewState | null> {
  return chooseStrategy(kind) === "rotate" ? rotateObject(kind, call) : updateInPlace(kind, call);
}

/** Updates an object in place if it still has the values of the prior state (rule 4). */
async function updateInPlace(kind: Kind, call: UpdateCall): Promise<NewState | null> {
  const { prior, planned, config } = call;
  const id = toObjectId(prior);
  const expected = { spec: toSpec(kind, prior) };
  const isKnown = Object.values(planned).every((value) => value !== Unknown);
  // The remaining changes affect only attributes that the service does not have, such as `timeouts`.
  if (isKnown && findDifferences(kind, toSpec(kind, planned), expected.spec).length === 0) {
    const { to_delete: _, ...saved } = call.private;
    return { state: planned, private: { ...saved, ...recordApplied(kind, expected.spec, config) } };
  }
  const result = await updateObject(toWriteContext(kind, call), id, { expected, skipIfSame: true });
  if (result.outcome !== "written") return reportFailure(kind, call, result, { update: id });
  const saved = saveWritten(kind, call, result);
  await deleteSupersededUsedBy(id, call);
  return saved;
}

/**
 * Creates a new object that supersedes the prior object. If the plan keeps the id, only records the configuration. Then
 * deletes superseded objects if `on_rotation` is "delete_old".
 */
async function rotateObject(kind: Kind, call: UpdateCall): Promise<NewState | null> {
  const { account, prior, planned, diagnostics } = call;
  const isNew = planned.id === Unknown;
  const inUse = readIdsInUse(call.private);
  const superseded = [...readIds(prior.superseded_ids), ...(isNew ? [...inUse, String(prior.id)] : [])];
  const fingerprints = isNew ? {} : await keepFingerprints(kind, call);
  const saved = isNew
    ? await storeObject(kind, call, superseded)
    : { state: planned, private: { ...recordService(account), ...fingerprints } };
  if (!saved) return null;
  // An import without a value stays an import, so that its first value is recorded.
  if (!isNew && prior.superseded_ids === null && Object.keys(fingerprints).length === 0)
    return { ...saved, state: { ...saved.state, superseded_ids: null } };
  const isDeleted = planned.on_rotation === "delete_old";
  if (isNew && !isDeleted)
    diagnostics.warning(
      `The superseded ${kind.name} was not deleted`,
      `${kind.afterForget} Its id is ${String(prior.id)}, now in \`superseded_ids\`. Delete it in the dashboard if nothing uses it.`,
    );
  const remaining = isDeleted
    ? await deleteSuperseded(kind, superseded, call)
    : { stored: superseded, inUse: [] };
  return {
    state: { ...saved.state, superseded_ids: remaining.stored },
    private: { ...saved.private, superseded_in_use: [...(isNew ? [] : inUse), ...remaining.inUse] },
  };
}
