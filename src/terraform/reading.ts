import type { ClientCall, Diagnostics, PrivateState } from "@avatarops/terraform-plugin";
import { type Kind, type Live, parseTimestamp } from "../kinds/index.js";
import { type Account, editKey, type OpenAccount } from "./account.js";
import { appliedNow, type LastApplied, readNow } from "./last-applied.js";
import type { SavedValues } from "./resource-lifecycle.js";
import type { LastRead } from "./roster.js";
import { isOfThisService, servedBy } from "./same-service.js";
import { stateOf, type Values } from "./values.js";

/** Reads an object of a kind; null when it is gone. */
export function readOf(kind: Kind) {
  return async (
    call: ClientCall<Account> & { readonly state: Values; readonly private: PrivateState },
  ): Promise<SavedValues | null> => {
    const { state, diagnostics } = call;
    const { open } = call.client;
    if (!open) return { state };
    if (!isOfThisService(kind, call.private, open, diagnostics)) return { state };
    const id = String(state.id);
    open.ownership.claim(kind, id);
    const known: PrivateState = { ...call.private, ...servedBy(open) };
    // Written once and never seen again.
    if (!kind.read && !kind.list) return { state, private: known };
    const asked = open.stopwatch();
    const found = await open.objects.read(kind, id, lastReadOf(state, call.private));
    switch (found.seen) {
      case "gone":
        return null;
      case "unmoved":
        return noteEdits(kind, open, { state, private: { ...known, ...stillEdited(known) } });
      case "unobservable":
        warnUnobservable(kind, id, state, diagnostics);
        return { state, private: known };
      case "live":
        return noteEdits(kind, open, {
          state: stateOf(kind, found.live, state),
          private: { ...known, ...seen(asked()), ...readNow(kind, found.live.spec, state, call.private) },
        });
    }
  };
}

/** What a write of ours made of an object, as kept. */
export function toSavedState(
  { kind, open, config, like }: SaveContext,
  live: Live,
  atMs: number,
): SavedValues {
  open.objects.recordWrite(kind, live);
  open.ownership.claim(kind, live.id);
  return {
    state: stateOf(kind, live, like),
    private: { ...servedBy(open), ...seen(atMs), ...appliedNow(kind, live.spec, config) },
  };
}

/** What is needed to keep an object. */
export interface SaveContext {
  readonly kind: Kind;
  readonly open: OpenAccount;
  readonly config: Values;
  /** Values for what the service does not tell. */
  readonly like: Values;
}

/** Of what is tainted, Terraform does not tell the plan the state: what was read is all there is to tell edits by. */
function noteEdits(
  kind: Kind,
  { unreportedEdits: untold }: OpenAccount,
  read: { readonly state: Values; readonly private: PrivateState },
): SavedValues {
  const { edited = {} } = read.private as LastApplied;
  const key = editKey(kind, String(read.state.id));
  if (Object.keys(edited).length > 0) untold.set(key, { prior: read.state, kept: read.private });
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

/** What is kept beside the state of when an object was seen; see `isReliableTimestamp`. */
function seen(atMs: number): PrivateState {
  return { seen_at: new Date(atMs).toISOString() };
}

function lastReadOf(state: Values, { seen_at }: PrivateState): LastRead | undefined {
  const { updated_at } = state;
  const atMs = typeof seen_at === "string" ? parseTimestamp(seen_at) : Number.NaN;
  return typeof updated_at === "string" && !Number.isNaN(atMs) ? { updatedAt: updated_at, atMs } : undefined;
}

function warnUnobservable(kind: Kind, id: string, state: Values, diagnostics: Diagnostics): void {
  const label = state[kind.label];
  const taken =
    typeof label === "string"
      ? `${JSON.stringify(label)} is its ${kind.label} as last applied; what others changed since is not seen`
      : `its ${kind.label} is not known until it is applied`;
  diagnostics.warning(
    `Some ${kind.collection} cannot be seen`,
    `The service does not show the ${kind.name} ${id}: ${taken}.`,
  );
}
