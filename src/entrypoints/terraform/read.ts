import type { Diagnostics, NewState, PrivateState } from "@avatarops/terraform-plugin";
import { type Kind, parseTimestamp } from "../../core/kinds/index.js";
import type { LastRead } from "./account/account-reader.js";
import { type OpenedAccount, readUnlessDown } from "./account/open-account.js";
import { recordResourceId } from "./account/resource-id.js";
import { isSameService, recordService } from "./account/same-service.js";
import type { ReadCall } from "./calls.js";
import { warnSupersededRemain } from "./diagnostics.js";
import { findEdits, type LastApplied, toEditKey } from "./edits-elsewhere.js";
import { restoreSupersededIds } from "./superseded-ids.js";
import { type AttributeValues, readIds, toState } from "./values.js";

/** Reads an object. Returns null if it no longer exists. */
export async function readObject(kind: Kind, call: ReadCall): Promise<NewState | null> {
  const { diagnostics } = call;
  const { account } = call.client;
  if (!account || !isSameService(kind, call.private, account, diagnostics)) return { state: call.state };
  const { state, private: restored } = restoreSupersededIds(call);
  const id = String(state.id);
  for (const own of [id, ...readIds(state.superseded_ids)]) account.ownership.claim(kind, own);
  const saved: PrivateState = { ...recordResourceId(restored, account.system), ...recordService(account) };
  // This read makes the digest from before the last write obsolete.
  const { copy_before: _, ...withoutCopy } = saved;
  // The service does not return objects of this kind.
  if (!kind.read && !kind.list) return { state, private: saved };
  const readAt = account.startStopwatch();
  const hints = { last: readLastRead(state, call.private), copyBefore: readCopyBefore(saved) };
  const found = await readUnlessDown(account, () => account.objects.read(kind, id, hints));
  if (!found) return { state: call.state };
  switch (found.seen) {
    case "absent":
      warnSupersededRemain(kind, readIds(state.superseded_ids), diagnostics);
      return null;
    case "unmoved":
      return saveEdits(kind, account, { state, private: { ...saved, ...markEditsRecorded(saved) } });
    case "unobservable":
      warnUnobservable(kind, state, account, diagnostics);
      return { state, private: saved };
    case "live":
      return saveEdits(kind, account, {
        state: { ...toState(kind, found.live, state), ...(await filterStoredIds(kind, account, state)) },
        private: {
          ...withoutCopy,
          ...recordSeenAt(readAt()),
          ...findEdits(kind, found.live.spec, saved),
        },
      });
  }
}

/** Warns once per kind about objects that the service does not return. */
function warnUnobservable(
  kind: Kind,
  state: AttributeValues,
  { reported }: OpenedAccount,
  diagnostics: Diagnostics,
): void {
  const summary = `Some ${kind.collection} cannot be read`;
  if (reported.has(summary)) return;
  reported.add(summary);
  const label = state[kind.label];
  const consequence =
    typeof label === "string"
      ? `the state keeps the last applied ${kind.label} ${JSON.stringify(label)}, and dashboard edits are not detected`
      : `its ${kind.label} is unknown until it is applied`;
  diagnostics.warning(
    summary,
    `The service does not return the ${kind.name} ${String(state.id)}, so ${consequence}. Other ${kind.collection} may also be missing. Check them in the dashboard before you apply.`,
  );
}

/** Returns `superseded_ids` without ids that the list no longer contains, or {} if the list cannot show this. */
async function filterStoredIds(
  kind: Kind,
  account: OpenedAccount,
  { superseded_ids }: AttributeValues,
): Promise<AttributeValues> {
  const ids = readIds(superseded_ids);
  if (ids.length === 0 || !kind.list?.exhaustive) return {};
  const listing = await readUnlessDown(account, () => account.objects.list(kind));
  return listing ? { superseded_ids: ids.filter((id) => listing.findById(id).outcome !== "absent") } : {};
}

/** Saves the edits for the plan, because Terraform does not pass a tainted object's state to its plan. */
function saveEdits(
  kind: Kind,
  { unreportedEdits }: OpenedAccount,
  read: { readonly state: AttributeValues; readonly private: PrivateState },
): NewState {
  const { edited = {} } = read.private as LastApplied;
  const key = toEditKey(kind, String(read.state.id));
  if (Object.keys(edited).length > 0) unreportedEdits.set(key, { prior: read.state, saved: read.private });
  return read;
}

/** Marks an unchanged object's edits as recorded by an earlier run. */
function markEditsRecorded({ edited = {} }: LastApplied): Pick<LastApplied, "edited"> {
  return {
    edited: Object.fromEntries(
      Object.entries(edited).map(([name, edit]) => [name, { ...edit, recorded: true }]),
    ),
  };
}

/** Returns the digest of the object before the last write, from private state. See `WriteContext`. */
export function readCopyBefore({ copy_before }: PrivateState): string | undefined {
  return typeof copy_before === "string" ? copy_before : undefined;
}

/** Returns the private state with the time of a read. See `isReliableTimestamp`. */
export function recordSeenAt(atMs: number): PrivateState {
  return { seen_at: new Date(atMs).toISOString() };
}

function readLastRead(state: AttributeValues, { seen_at }: PrivateState): LastRead | undefined {
  const { updated_at } = state;
  const atMs = typeof seen_at === "string" ? parseTimestamp(seen_at) : Number.NaN;
  return typeof updated_at === "string" && !Number.isNaN(atMs) ? { updatedAt: updated_at, atMs } : undefined;
}
