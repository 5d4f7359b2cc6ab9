import { type Kind, type Live, momentOf } from "../kinds/index.js";
import type { Account, OpenAccount } from "./account.js";
import type { ClientCall, Private, Report } from "./plugin/index.js";
import type { SavedValues } from "./resource.js";
import type { Sighting } from "./roster.js";
import { stateOf, type Values } from "./values.js";

/** Reads an object of a kind; null when it is gone. */
export function reading(kind: Kind) {
  return async (
    call: ClientCall<Account> & { readonly state: Values; readonly private: Private },
  ): Promise<SavedValues | null> => {
    const { state, report } = call;
    const { open } = call.client;
    if (!open) return { state };
    const id = String(state.id);
    open.ownership.claim(kind, id);
    // Written once and never seen again.
    if (!kind.read && !kind.list) return { state };
    const asked = open.mark();
    const found = await open.roster.see(kind, id, sightingOf(state, call.private));
    switch (found.seen) {
      case "gone":
        return null;
      case "unmoved":
        return { state };
      case "unobservable":
        sayUnseen(kind, id, state, report);
        return { state };
      case "live":
        return { state: stateOf(kind, found.live, state), private: { ...call.private, ...seen(asked()) } };
    }
  };
}

/** What a write of ours made of an object, as kept. */
export function kept(kind: Kind, open: OpenAccount, live: Live, like: Values, atMs: number): SavedValues {
  open.roster.note(kind, live);
  open.ownership.claim(kind, live.id);
  return { state: stateOf(kind, live, like), private: seen(atMs) };
}

/** What is kept beside the state of when an object was seen; see `isSettled`. */
function seen(atMs: number): Private {
  return { seen_at: new Date(atMs).toISOString() };
}

function sightingOf(state: Values, { seen_at }: Private): Sighting | undefined {
  const { updated_at } = state;
  const atMs = typeof seen_at === "string" ? momentOf(seen_at) : Number.NaN;
  return typeof updated_at === "string" && !Number.isNaN(atMs) ? { updatedAt: updated_at, atMs } : undefined;
}

function sayUnseen(kind: Kind, id: string, state: Values, report: Report): void {
  const label = state[kind.label];
  const taken =
    typeof label === "string"
      ? `${JSON.stringify(label)} is its ${kind.label} as last applied; what others changed since is not seen`
      : `its ${kind.label} is not known until it is applied`;
  report.warning(
    `Some ${kind.collection} cannot be seen`,
    `The service does not show the ${kind.name} ${id}: ${taken}.`,
  );
}
