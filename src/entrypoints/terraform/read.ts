import type { Diagnostics, NewState, PrivateState } from "@avatarops/terraform-plugin";
import { type Kind, parseTimestamp } from "../../core/kinds/index.js";
import type { LastRead } from "./account/account-reader.js";
import { type OpenAccount, unlessDown } from "./account/open-account.js";
import { isOfThisService, servedBy } from "./account/same-service.js";
import type { ReadCall } from "./calls.js";
import { findEdits, type LastApplied, toEditKey } from "./last-applied.js";
import { listSuperseded } from "./superseded-ids.js";
import { idsIn, toState, type Values } from "./values.js";

/** Reads an object; null when it is gone. */
export async function readObject(kind: Kind, call: ReadCall): Promise<NewState | null> {
  const { diagnostics } = call;
  const { open } = call.client;
  if (!open || !isOfThisService(kind, call.private, open, diagnostics)) return { state: call.state };
  const { state, private: kept } = listSuperseded(call);
  const id = String(state.id);
  open.ownership.claim(kind, id);
  const saved: PrivateState = { ...kept, ...servedBy(open) };
  // What was seen is another copy than before, or none.
  const { copy_before: _, ...seen } = saved;
  // Written once and never seen again.
  if (!kind.read && !kind.list) return { state, private: saved };
  const readAt = open.stopwatch();
  const known = { last: readLastRead(state, call.private), copyBefore: copyBefore(saved) };
  const found = await unlessDown(open, () => open.objects.read(kind, id, known));
  if (!found) return { state: call.state };
  switch (found.seen) {
    case "absent":
      return null;
    case "unmoved":
      return noteEdits(kind, open, { state, private: { ...saved, ...stillEdited(saved) } });
    case "unobservable":
      warnUnobservable(kind, state, open, diagnostics);
      return { state, private: saved };
    case "live":
      return noteEdits(kind, open, {
        state: { ...toState(kind, found.live, state), ...(await stillStored(kind, open, state)) },
        private: {
          ...seen,
          ...seenAt(readAt()),
          ...findEdits(kind, found.live.spec, saved),
        },
      });
  }
}

/** Warns of objects that the service does not show, once for each kind. */
function warnUnobservable(
  kind: Kind,
  state: Values,
  { reported }: OpenAccount,
  diagnostics: Diagnostics,
): void {
  const summary = `Some ${kind.collection} cannot be seen`;
  if (reported.has(summary)) return;
  reported.add(summary);
  const label = state[kind.label];
  const shown =
    typeof label === "string"
      ? `${JSON.stringify(label)} is its ${kind.label} as last applied; edits made elsewhere are not seen`
      : `its ${kind.label} is not known until it is applied`;
  diagnostics.warning(
    summary,
    `The service does not show the ${kind.name} ${String(state.id)}: ${shown}. The same may be true of other ${kind.collection}.`,
  );
}

/** The superseded objects that a list has; where there is no such list, all of them. */
async function stillStored(kind: Kind, open: OpenAccount, { superseded_ids }: Values): Promise<Values> {
  const ids = idsIn(superseded_ids);
  if (ids.length === 0 || !kind.list?.exhaustive) return {};
  const listing = await unlessDown(open, () => open.objects.list(kind));
  return listing ? { superseded_ids: ids.filter((id) => listing.findById(id).outcome !== "absent") } : {};
}

/** The plan of a tainted object does not get its state from Terraform: only what was read here shows its edits. */
function noteEdits(
  kind: Kind,
  { unreportedEdits }: OpenAccount,
  read: { readonly state: Values; readonly private: PrivateState },
): NewState {
  const { edited = {} } = read.private as LastApplied;
  const key = toEditKey(kind, String(read.state.id));
  if (Object.keys(edited).length > 0) unreportedEdits.set(key, { prior: read.state, saved: read.private });
  return read;
}

/** The object is as the state has it, and so is every edit. */
function stillEdited({ edited = {} }: LastApplied): Pick<LastApplied, "edited"> {
  return {
    edited: Object.fromEntries(
      Object.entries(edited).map(([name, edit]) => [name, { ...edit, recorded: true }]),
    ),
  };
}

/** What others showed of an object before our last write, as saved beside the state; see `WriteContext`. */
export function copyBefore({ copy_before }: PrivateState): string | undefined {
  return typeof copy_before === "string" ? copy_before : undefined;
}

/** When an object was seen, as saved beside the state; see `isReliableTimestamp`. */
export function seenAt(atMs: number): PrivateState {
  return { seen_at: new Date(atMs).toISOString() };
}

function readLastRead(state: Values, { seen_at }: PrivateState): LastRead | undefined {
  const { updated_at } = state;
  const atMs = typeof seen_at === "string" ? parseTimestamp(seen_at) : Number.NaN;
  return typeof updated_at === "string" && !Number.isNaN(atMs) ? { updatedAt: updated_at, atMs } : undefined;
}
