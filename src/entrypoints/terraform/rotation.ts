import { type PlanModification, type PrivateState, Unknown } from "@avatarops/terraform-plugin";
import { type Kind, writeOnlyFields } from "../../core/kinds/index.js";
import { detectSecretChange, makeFingerprint, type RecordedFingerprint } from "../../core/lifecycle/index.js";
import { createStateKey, findReasonNotAValue, Sealed } from "../../core/secrets/index.js";
import type { AccountCall, PlanCall } from "./calls.js";
import { isImported } from "./last-applied.js";
import { writeOnlyName } from "./schema.js";
import { supersededIds } from "./superseded-ids.js";
import { differences, idsIn, readableAttributes, toJson, toSpec, type Values } from "./values.js";

/**
 * Objects that are written once and never seen again: a change makes a new one, which supersedes the old.
 *
 * It is planned as a change in place in which the id becomes another, and not as a replacement: a replacement would
 * first forget the old one, and lose its id if the create then fails. The old id stays in the state, as the old object
 * stays in the service.
 *
 * Whether a write-only value changed cannot be seen by comparing it with the state, which does not have it. Where
 * `…_wo_version` is set, only the version decides, which suits values that differ in every run. Where it
 * is not set, a fingerprint (keyed, salted, slow; see the secrets' room) is kept beside the state, and a new value is
 * noticed without it: nobody has to remember to increase a version.
 */
export async function planRotation(kind: Kind, call: PlanCall): Promise<PlanModification | undefined> {
  const { prior, planned, diagnostics } = call;
  if (!prior) return rejectMissingValue(kind, call);
  const isFirst = prior.superseded_ids === null;
  const isUnread = isImported(kind, prior);
  const change = isUnread ? "none" : await findChange(kind, call, prior);
  if (isFirst && change === "none") {
    const hasValue = writeOnlyFields(kind).some((field) => call.config[writeOnlyName(field)] !== null);
    if (planned === prior && !hasValue) return undefined;
    diagnostics.warning(
      `The imported ${kind.name} cannot be compared`,
      `The service does not show what the ${kind.name} ${String(prior.id)} holds. It is recorded as configured, and nothing is sent. Later changes are noticed.`,
    );
    return isUnread ? undefined : { planned: { ...planned, superseded_ids: [] } };
  }
  const ids =
    change === "certain"
      ? [...supersededIds(prior, call.private), String(prior.id)]
      : idsIn(prior.superseded_ids);
  const keepsOld = (planned.on_rotation ?? "keep_old") === "keep_old";
  if (!keepsOld && ids.length > 0)
    diagnostics.warning(
      `The superseded ${kind.name} is deleted`,
      `${ids.join(", ")} is deleted from the account once nothing there uses it, since on_rotation is "delete_old".`,
    );
  if (change === "none")
    return keepsOld || ids.length === 0 ? undefined : { planned: { ...planned, superseded_ids: Unknown } };
  rejectMissingValue(kind, call);
  return {
    planned: { ...planned, id: Unknown, superseded_ids: change === "certain" && keepsOld ? ids : Unknown },
  };
}

/** An object cannot be made without its value. */
function rejectMissingValue(kind: Kind, { config, diagnostics }: PlanCall): undefined {
  for (const name of writeOnlyFields(kind).map(writeOnlyName)) {
    const value = config[name];
    const problem = typeof value === "string" ? findReasonNotAValue(value) : undefined;
    if (value === null)
      diagnostics.error(`Missing ${name}`, `It is needed to make a new ${kind.name}.`, [name]);
    if (problem !== undefined) diagnostics.error(`${name} is not a key`, `Its value ${problem}`, [name]);
  }
}

type Change = "none" | "certain" | "possible";

async function findChange(kind: Kind, call: PlanCall, prior: Values): Promise<Change> {
  const { planned } = call;
  if (differences(kind, toSpec(kind, planned), toSpec(kind, prior)).length > 0) return "certain";
  const changes = readableAttributes(kind).map(
    (name): Change => (planned[name] === Unknown ? "possible" : "none"),
  );
  for (const field of writeOnlyFields(kind)) changes.push(await valueChange(kind, field, call, prior));
  if (changes.includes("certain")) return "certain";
  return changes.includes("possible") ? "possible" : "none";
}

async function valueChange(kind: Kind, field: string, call: PlanCall, prior: Values): Promise<Change> {
  const { config, planned, diagnostics, open } = call;
  const name = writeOnlyName(field);
  const version = planned[`${name}_version`] ?? null;
  const before = prior[`${name}_version`] ?? null;
  if (version === Unknown) return "possible";
  if (version !== null && before !== null) return toJson(version) === toJson(before) ? "none" : "certain";
  const value = config[name];
  const isUntold = (why: string) =>
    diagnostics.warning(`Cannot tell${value === Unknown ? " yet" : ""} whether ${name} changed`, why, [name]);
  const stays = `The ${kind.name} stays as it is.`;
  if (value === Unknown && version === null)
    isUntold(
      `Its value is known only after apply. ${stays} To send a new value anyway, set or change ${name}_version.`,
    );
  const recorded = call.private[field];
  if (typeof value !== "string" || !isFingerprint(recorded)) return "none";
  const answer = await detectSecretChange(
    new Sealed(value),
    recorded,
    open.settings.fingerprintKey,
    open.system,
  );
  if (answer === "other-key")
    isUntold(
      `Its fingerprint was made with another fingerprint_key. ${stays} Give the provider the former key, or set ${name}_version once: that records a new fingerprint.`,
    );
  return answer === "changed" ? "certain" : "none";
}

function isFingerprint(value: unknown): value is RecordedFingerprint {
  const { key, made } = (value ?? {}) as Partial<Record<keyof RecordedFingerprint, unknown>>;
  return typeof key === "string" && typeof made === "string";
}

/** Fingerprints of the write-only values, each with a key of its own: the state of Terraform has no place for one key. */
export async function makeFingerprints(kind: Kind, { open, config }: AccountCall): Promise<PrivateState> {
  const made: Record<string, RecordedFingerprint> = {};
  for (const field of writeOnlyFields(kind)) {
    const value = config[writeOnlyName(field)];
    if (typeof value !== "string") continue;
    const key = createStateKey(open.system);
    made[field] = {
      key,
      made: await makeFingerprint(new Sealed(value), key, open.settings.fingerprintKey, open.system),
    };
  }
  return made;
}
