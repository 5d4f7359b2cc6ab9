import { getEmptyValue, type Kind, type Spec, type Value } from "../kinds/index.js";
import type { WriteResult } from "../lifecycle/index.js";
import { findDeclaration } from "../manifest/index.js";
import type { Intent, StateEntry } from "../state/index.js";
import { type ApplyContext, type ChangeWrite, isUpdate } from "./apply-context.js";
import { createResult, type Result } from "./outcome.js";
import type { Change } from "./plan-types.js";
import { toStoredSpec, toSuperseded } from "./stored-form.js";
import { isDeclared } from "./three-way-compare.js";

/** Records the object as the service stored it. Returns a failure if it differs from the request. */
export function recordWrite(
  { input, change, kind }: ChangeWrite,
  { live, before, copyBefore, mismatches, recovered }: Extract<WriteResult, { outcome: "written" }>,
  { fingerprints, versions, at }: Intent,
): Result {
  const declaration = findDeclaration(input.manifest, change.address);
  // A field that was removed from the files and cleared is no longer managed.
  const managed = pickValuesToRecord(
    kind,
    Object.keys(change.wanted ?? {}).filter((name) => !declaration || isDeclared(declaration, name)),
    live.spec,
  );
  const id = isUpdate(change) ? (change.id ?? live.id) : live.id;
  input.claimed.add(id);
  const old = input.session.state?.objects[change.address];
  // An update without a write-only value keeps its recorded version.
  const kept = isUpdate(change) && old?.id === id ? old : undefined;
  const sealed = { ...kept?.fingerprints, ...fingerprints };
  const known = { ...removeVersions(kept?.versions, fingerprints), ...versions };
  const writtenAt = fingerprints ? at : kept?.writtenAt;
  const superseded = [...(old?.superseded ?? []), ...listNewlySuperseded(input, change, kind, old)];
  input.timestamps.noteTimestamp(kind, before?.updatedAt);
  const inSyncAt =
    mismatches.length === 0 ? input.timestamps.recordWrite(change.address, kind, { ...live, id }) : undefined;
  input.session.completeIntent(change.address, {
    id,
    applied: toStoredSpec(kind, managed, input.session.keepText),
    ...(inSyncAt !== undefined && { inSyncAt }),
    ...(copyBefore !== undefined && { copyBefore }),
    ...(Object.keys(sealed).length > 0 && { fingerprints: sealed }),
    ...(Object.keys(known).length > 0 && { versions: known }),
    ...(writtenAt !== undefined && { writtenAt }),
    ...(superseded.length > 0 && { superseded }),
    ...(change.protect && { protected: true }),
    ...(change.onRemoval && { onRemoval: change.onRemoval }),
    ...(kind.remove && (!isUpdate(change) || kept?.created) && { created: true }),
  });
  const found = recovered ? ["The response was lost, but the result was found in the account."] : [];
  if (mismatches.length === 0)
    return createResult(change, "applied", { id, notes: [...change.notes, ...found] });
  const message = mismatches.map(({ summary, detail }) => `${summary}. ${detail}`).join(" ");
  return createResult(change, "failed", { id, notes: found, problem: { code: "not-as-sent", message } });
}

/** Returns an object's values for these fields. A field that the service omits gets its empty value or default. */
export function pickValuesToRecord(kind: Kind, names: readonly string[], live: Spec): Spec {
  const values = names.flatMap((name): [string, Value][] => {
    const field = kind.fields[name];
    const value = live[name] ?? (field && getEmptyValue(field));
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(values);
}

/** Removes the versions of sent fields, because these versions belong to the previous values. */
function removeVersions(
  versions: StateEntry["versions"] = {},
  sent: Intent["fingerprints"] = {},
): NonNullable<StateEntry["versions"]> {
  return Object.fromEntries(Object.entries(versions).filter(([field]) => !(field in sent)));
}

function listNewlySuperseded(
  { system }: ApplyContext,
  change: Change,
  kind: Kind,
  old: StateEntry | undefined,
) {
  if (change.action !== "supersede" || !old) return [];
  return [toSuperseded(old, kind, change.label, new Date(system.now()).toISOString())];
}
