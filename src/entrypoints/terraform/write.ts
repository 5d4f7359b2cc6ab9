import { type NewState, Unknown } from "@avatarops/terraform-plugin";
import type { Kind } from "../../core/kinds/index.js";
import { createObject, updateObject } from "../../core/lifecycle/index.js";
import { servedBy } from "./account/same-service.js";
import type { AccountCall, UpdateCall } from "./calls.js";
import { deleteSuperseded, deleteUnused } from "./delete-superseded.js";
import { nameUnconfirmed } from "./diagnostics.js";
import { recordApplied } from "./last-applied.js";
import { makeFingerprints } from "./rotation.js";
import {
  reportFailure,
  reportMismatches,
  reportTaken,
  saveWritten,
  toCreateContext,
  toWriteContext,
} from "./save.js";
import { chooseStrategy } from "./strategy.js";
import { idsInUse } from "./superseded-ids.js";
import { differences, idOf, idsIn, toSpec, toState } from "./values.js";

/** Answers a create; what it means for a kind is a matter of its strategy. Null: there is no object to manage. */
export function createResource(kind: Kind, call: AccountCall): Promise<NewState | null> {
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
 * Takes over an object that exists already, and writes what differs. What it was when this was planned is not known:
 * Terraform plans a create once more when it applies, and gives that plan nothing of the one before.
 */
async function adoptObject(kind: Kind, call: AccountCall): Promise<NewState | null> {
  const id = idOf(call.config);
  const result = await updateObject(toWriteContext(kind, call), id, { skipIfSame: true });
  return result.outcome === "written"
    ? saveWritten(kind, call, result)
    : reportFailure(kind, call, result, { adopt: id });
}

/** Makes an object under a name that no other resource uses: the plan of this very run has made sure of it. */
async function createOnce(kind: Kind, call: AccountCall): Promise<NewState | null> {
  const label = String(call.planned[kind.label]);
  let saved: NewState | null = null;
  try {
    saved = await createOrAdoptAgain(kind, call, label);
    return saved;
  } finally {
    if (!saved) call.open.ownership.giveBack(kind, label);
  }
}

async function createOrAdoptAgain(kind: Kind, call: AccountCall, label: string): Promise<NewState | null> {
  const { objects, ownership } = call.open;
  const context = toWriteContext(kind, call);
  const lookup = await objects.findByName(kind, label);
  if (lookup.outcome === "unknown") return nameUnconfirmed(kind, label, lookup.doubt, call.diagnostics);
  const namesakes = lookup.outcome === "found" ? lookup.found : [];
  const [first, ...others] = namesakes;
  const released = first && ownership.released(kind, first.id);
  if (first && !(released && others.length === 0)) return reportTaken(kind, call, namesakes);
  if (first && released) {
    const result = await updateObject(context, first.id, { expected: { spec: released }, skipIfSame: true });
    if (result.outcome === "written") return saveWritten(kind, call, result);
    if (result.outcome !== "gone" || result.error)
      return reportFailure(kind, call, result, { update: first.id });
    const rest = await objects.findByName(kind, label, [first.id]);
    if (rest.outcome === "unknown") return nameUnconfirmed(kind, label, rest.doubt, call.diagnostics);
  }
  const result = await createObject(toCreateContext(kind, call));
  return result.outcome === "written"
    ? saveWritten(kind, call, result)
    : reportFailure(kind, call, result, { create: true });
}

/** Stores an object that is written once; the ids before it stay in the state, as the objects stay in the service. */
async function storeObject(
  kind: Kind,
  call: AccountCall,
  superseded: readonly string[],
): Promise<NewState | null> {
  // None of them is what a lost answer was about.
  for (const id of superseded) call.open.ownership.claim(kind, id);
  // Before it is sent: once it is, its id must not be lost.
  const saved = { ...servedBy(call.open), ...(await makeFingerprints(kind, call)) };
  const result = await createObject(toCreateContext(kind, call));
  if (result.outcome !== "written") return reportFailure(kind, call, result, { create: true });
  reportMismatches(kind, result, call.diagnostics);
  call.open.ownership.claim(kind, result.live.id);
  return {
    state: { ...toState(kind, result.live, call.planned), superseded_ids: superseded },
    private: saved,
  };
}

/** Answers an update. Null: what was there is kept. */
export function updateResource(kind: Kind, call: UpdateCall): Promise<NewState | null> {
  return chooseStrategy(kind) === "rotate" ? rotateObject(kind, call) : updateInPlace(kind, call);
}

/** Changes an object in place, if it is still what the plan took it to be (rule 4). */
async function updateInPlace(kind: Kind, call: UpdateCall): Promise<NewState | null> {
  const { prior, planned, config } = call;
  const id = idOf(prior);
  const expected = { spec: toSpec(kind, prior) };
  const isKnown = Object.values(planned).every((value) => value !== Unknown);
  // Only `timeouts` changes, which the service does not have.
  if (isKnown && differences(kind, toSpec(kind, planned), expected.spec).length === 0)
    return { state: planned, private: { ...call.private, ...recordApplied(kind, expected.spec, config) } };
  // The service is not told of a new `on_removal`.
  const result = await updateObject(toWriteContext(kind, call), id, { expected, skipIfSame: true });
  if (result.outcome !== "written") return reportFailure(kind, call, result, { update: id });
  const saved = saveWritten(kind, call, result);
  await deleteUnused(id, call);
  return saved;
}

/** Stores another object in the place of one that is written once; where none is needed, records what is configured. */
async function rotateObject(kind: Kind, call: UpdateCall): Promise<NewState | null> {
  const { open, prior, planned, diagnostics } = call;
  const isNew = planned.id === Unknown;
  const inUse = idsInUse(call.private);
  const superseded = [...idsIn(prior.superseded_ids), ...(isNew ? [...inUse, String(prior.id)] : [])];
  const saved = isNew
    ? await storeObject(kind, call, superseded)
    : { state: planned, private: { ...servedBy(open), ...(await makeFingerprints(kind, call)) } };
  if (!saved) return null;
  const isDeleted = planned.on_rotation === "delete_old";
  if (isNew && !isDeleted)
    diagnostics.warning(
      `The superseded ${kind.name} is not deleted`,
      `${kind.afterForget} Its id is ${String(prior.id)}; \`superseded_ids\` keeps it.`,
    );
  const left = isDeleted ? await deleteSuperseded(kind, superseded, call) : { stored: superseded, inUse: [] };
  return {
    state: { ...saved.state, superseded_ids: left.stored },
    private: { ...saved.private, superseded_in_use: [...(isNew ? [] : inUse), ...left.inUse] },
  };
}
