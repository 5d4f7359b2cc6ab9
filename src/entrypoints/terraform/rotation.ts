import { type PlanModification, type PrivateState, Unknown } from "@avatarops/terraform-plugin";
import { type Kind, listWriteOnlyFields } from "../../core/kinds/index.js";
import {
  describeUsers,
  detectSecretChange,
  makeFingerprint,
  type RecordedFingerprint,
} from "../../core/lifecycle/index.js";
import { createStateKey, findReasonNotAValue, Sealed } from "../../core/secrets/index.js";
import { readUnlessDown } from "./account/open-account.js";
import type { PlanCall, UpdateCall, WriteCall } from "./calls.js";
import { isImported } from "./edits-elsewhere.js";
import { toWriteOnlyName } from "./schema.js";
import { listSupersededIds } from "./superseded-ids.js";
import {
  type AttributeValues,
  findDifferences,
  listReadableAttributes,
  readIds,
  toJson,
  toSpec,
} from "./values.js";

/**
 * Plans a change to an object that cannot be updated or read: a new object supersedes the old one. The plan shows an
 * update with a new id, because a replacement would lose the old id if the create failed. A new write-only value is
 * detected by its `…_wo_version` or, without one, by a fingerprint in private state (see `core/secrets`).
 */
export async function planRotation(kind: Kind, call: PlanCall): Promise<PlanModification | undefined> {
  const { prior, planned, diagnostics } = call;
  if (!prior) return rejectMissingValue(kind, call);
  const isImport = prior.superseded_ids === null;
  const isUnread = isImported(kind, prior);
  const rotation = isUnread ? "none" : await findRotation(kind, call, prior);
  if (isImport && rotation === "none") {
    const values = listWriteOnlyFields(kind).map((field) => call.config[toWriteOnlyName(field)]);
    const hasValue = values.some((value) => value !== null);
    if (planned === prior && !hasValue) return undefined;
    const consequence = hasValue
      ? "so the configured value is recorded but not sent. If the account has a different value, change the configuration after this apply."
      : "and the configuration sets none, so the account keeps its value. The first value that you set is recorded but not sent.";
    diagnostics.warning(
      `The imported ${kind.name} cannot be compared`,
      `The service does not return the value of the ${kind.name} ${String(prior.id)}, ${consequence}`,
    );
    if (isUnread) return undefined;
    // Without a recorded value, the resource stays an import.
    const superseded = values.includes(Unknown) ? Unknown : hasValue ? [] : null;
    return { planned: { ...planned, superseded_ids: superseded } };
  }
  const ids =
    rotation === "certain"
      ? [...listSupersededIds(prior, call.private), String(prior.id)]
      : readIds(prior.superseded_ids);
  const keepsOld = (planned.on_rotation ?? "keep_old") === "keep_old";
  if (!keepsOld && ids.length > 0) {
    // A plan that creates a new object usually also updates the users of the old one, so they need no warning.
    const usage = rotation === "none" ? await describeUsage(kind, ids, call) : "";
    diagnostics.warning(
      `The superseded ${kind.name} will be deleted`,
      `on_rotation is "delete_old", so the apply deletes superseded ${kind.collection} once no other object uses them: ${ids.join(", ")}.${usage} To keep them, set on_rotation to "keep_old".`,
    );
  }
  if (rotation === "none")
    return keepsOld || ids.length === 0 ? undefined : { planned: { ...planned, superseded_ids: Unknown } };
  rejectMissingValue(kind, call);
  return {
    planned: { ...planned, id: Unknown, superseded_ids: rotation === "certain" && keepsOld ? ids : Unknown },
  };
}

/** Describes the current users of superseded objects. */
async function describeUsage(kind: Kind, ids: readonly string[], { account }: PlanCall): Promise<string> {
  let text = "";
  for (const id of ids) {
    const found = await readUnlessDown(account, () => account.findUsers(kind, id));
    if (found && found.users.length > 0) text += ` ${id} is now used by ${describeUsers(found.users)}.`;
  }
  return text;
}

/** Rejects a create that has no usable value. */
function rejectMissingValue(kind: Kind, { config, diagnostics }: PlanCall): undefined {
  for (const name of listWriteOnlyFields(kind).map(toWriteOnlyName)) {
    const value = config[name];
    const problem = typeof value === "string" ? findReasonNotAValue(value) : undefined;
    if (value === null)
      diagnostics.error(`Missing ${name}`, `A new ${kind.name} needs a value. Set ${name}.`, [name]);
    if (problem !== undefined) diagnostics.error(`${name} is not a key`, `The value ${problem}`, [name]);
  }
}

/** Whether a plan rotates an object. "possible" depends on values known only after apply. */
type SecretRotation = "none" | "certain" | "possible";

async function findRotation(kind: Kind, call: PlanCall, prior: AttributeValues): Promise<SecretRotation> {
  const { planned } = call;
  if (findDifferences(kind, toSpec(kind, planned), toSpec(kind, prior)).length > 0) return "certain";
  const rotations = listReadableAttributes(kind).map(
    (name): SecretRotation => (planned[name] === Unknown ? "possible" : "none"),
  );
  for (const field of listWriteOnlyFields(kind))
    rotations.push(await findValueRotation(kind, field, call, prior));
  if (rotations.includes("certain")) return "certain";
  return rotations.includes("possible") ? "possible" : "none";
}

async function findValueRotation(
  kind: Kind,
  field: string,
  call: PlanCall,
  prior: AttributeValues,
): Promise<SecretRotation> {
  const { config, planned, diagnostics, account } = call;
  const name = toWriteOnlyName(field);
  const version = planned[`${name}_version`] ?? null;
  const before = prior[`${name}_version`] ?? null;
  if (version === Unknown) return "possible";
  if (version !== null && before !== null) return toJson(version) === toJson(before) ? "none" : "certain";
  const value = config[name];
  const warnUndetermined = (reason: string) =>
    diagnostics.warning(`Cannot check${value === Unknown ? " yet" : ""} whether ${name} changed`, reason, [
      name,
    ]);
  const unchanged = `so the ${kind.name} is not changed`;
  if (value === Unknown && version === null) {
    // The apply plans again, with the value, and keeps the id if the value is the same.
    if (planned !== prior && prior.superseded_ids !== null) return "possible";
    warnUndetermined(
      `Its value is known only after apply, ${unchanged}. To send a new value anyway, set or change ${name}_version.`,
    );
  }
  if (typeof value !== "string") return "none";
  const recorded = call.private[field];
  // A value that was neither sent nor imported is new.
  if (!isFingerprint(recorded)) return prior.superseded_ids === null ? "none" : "certain";
  const comparison = await detectSecretChange(
    new Sealed(value),
    recorded,
    account.settings.fingerprintKey,
    account.system,
  );
  if (comparison === "other-key")
    warnUndetermined(
      `Its fingerprint was made with a different fingerprint_key, ${unchanged}. Restore the former key in the provider block, or set ${name}_version once to record a new fingerprint.`,
    );
  return comparison === "changed" ? "certain" : "none";
}

function isFingerprint(value: unknown): value is RecordedFingerprint {
  const { key, made } = (value ?? {}) as Partial<Record<keyof RecordedFingerprint, unknown>>;
  return typeof key === "string" && typeof made === "string";
}

/**
 * Returns the fingerprints after an update that sent no value: the recorded ones. Records the configured value for an
 * import, and for the first version after a change of `fingerprint_key`.
 */
export async function keepFingerprints(kind: Kind, call: UpdateCall): Promise<PrivateState> {
  const { account, config, prior, planned, private: saved } = call;
  const recorded = Object.fromEntries(
    listWriteOnlyFields(kind).flatMap((field) =>
      isFingerprint(saved[field]) ? [[field, saved[field]] as const] : [],
    ),
  );
  if (prior.superseded_ids === null) return { ...(await makeFingerprints(kind, call)), ...recorded };
  for (const [field, fingerprint] of Object.entries(recorded)) {
    const name = toWriteOnlyName(field);
    const value = config[name];
    const isFirstVersion =
      (planned[`${name}_version`] ?? null) !== null && (prior[`${name}_version`] ?? null) === null;
    if (typeof value !== "string" || !isFirstVersion) continue;
    const sealed = new Sealed(value);
    const { fingerprintKey } = account.settings;
    if ((await detectSecretChange(sealed, fingerprint, fingerprintKey, account.system)) === "other-key")
      return { ...recorded, ...(await makeFingerprints(kind, call)) };
  }
  return recorded;
}

/**
 * Fingerprints the write-only values. Each has its own key, because Terraform's state has no place for a shared key.
 */
export async function makeFingerprints(kind: Kind, { account, config }: WriteCall): Promise<PrivateState> {
  const fingerprints: Record<string, RecordedFingerprint> = {};
  for (const field of listWriteOnlyFields(kind)) {
    const value = config[toWriteOnlyName(field)];
    if (typeof value !== "string") continue;
    const key = createStateKey(account.system);
    fingerprints[field] = {
      key,
      made: await makeFingerprint(new Sealed(value), key, account.settings.fingerprintKey, account.system),
    };
  }
  return fingerprints;
}
