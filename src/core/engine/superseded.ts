import { listNames } from "../../base/text/index.js";
import {
  digestSpec,
  explainDoubt,
  type Kind,
  type ListedObject,
  type Listing,
  parseAddress,
  toAddress,
} from "../kinds/index.js";
import { describeUsers } from "../lifecycle/index.js";
import type { Manifest } from "../manifest/index.js";
import type { State, SupersededObject } from "../state/index.js";
import { indexChangesUsing } from "./dependent-changes.js";
import { findIdOwner, type IdOwners } from "./id-owners.js";
import type { Observation } from "./observation.js";
import type { Change, Notice } from "./plan-types.js";
import { listChangedFields, toSuperseded } from "./stored-form.js";

/*
 * With `on_rotation: delete_old`, each superseded object is deleted by a separate change. Because others can edit the
 * ids in the state, an object is deleted only if no other address has its id, and its live values match the recorded
 * ones.
 */

/** Finds the recorded superseded objects of a kind. Omits objects that a complete list does not show. */
export function findSuperseded(
  kind: string,
  listing: Listing | undefined,
  state: State | undefined,
): readonly (SupersededObject & { readonly address: string })[] {
  return Object.entries(state?.objects ?? {}).flatMap(([address, { superseded = [] }]) =>
    parseAddress(address)?.kind.name === kind
      ? superseded.flatMap((one) =>
          listing?.findById(one.id).outcome === "absent" ? [] : [{ ...one, address }],
        )
      : [],
  );
}

/** Reports superseded objects that are still in the account, because their declarations keep them. */
export function createSupersededNotices(
  { declarations }: Manifest,
  state: State | undefined,
  { listings }: Observation,
): Notice[] {
  const keeps = (address: string) =>
    declarations.some((one) => one.address === address && (one.onRotation !== "delete_old" || one.protect));
  return [...listings].flatMap(([name, listing]) => {
    const kept = findSuperseded(name, listing, state).filter(
      ({ id, address }) => keeps(address) && listing.findById(id).outcome === "found",
    );
    if (kept.length === 0) return [];
    const named = listNames(kept.map(({ id, address }) => `${id} (${address})`));
    const id = kept.length === 1 ? kept[0]?.id : "ID";
    const message = `Superseded and still in the account: ${named}. Delete unused ones: \`avatarops prune ${id}\`.`;
    return [{ code: "superseded-objects" as const, message }];
  });
}

interface ObservedAccount {
  readonly state: State | undefined;
  readonly observation: Observation;
  readonly owners: IdOwners;
  /** True if the account was not read. Recorded values are then used instead. */
  readonly isUnread: boolean;
}

/**
 * Adds deletes for superseded objects, and explains why other superseded objects stay. Keeps objects that were
 * superseded by a protected object.
 */
export function addSupersededDeletes(
  changes: readonly Change[],
  { declarations }: Manifest,
  account: ObservedAccount,
): { readonly changes: readonly Change[]; readonly notices: readonly Notice[] } {
  const declared = new Map(declarations.map((one) => [one.address, one]));
  const findUsing = indexChangesUsing(changes);
  const deletes: Change[] = [];
  const notices: Notice[] = [];
  const others = changes.map((change) => {
    const { address, action } = change;
    const { kind, onRotation, protect } = declared.get(address) ?? {};
    const entry = change.entry ?? account.state?.objects[address];
    const isFound = action === "adopt" && change.reason === "recovered";
    const isRecorded = isFound || action === "keep" || action === "update" || action === "supersede";
    if (onRotation !== "delete_old" || protect || !kind?.remove || !entry || !isRecorded) return change;
    const { superseded = [] } = entry;
    const old =
      action === "supersede" ? [...superseded, toSuperseded(entry, kind, change.label, "")] : superseded;
    const notes: string[] = [];
    const gone = new Set<SupersededObject>();
    for (const one of new Map(old.map((each) => [each.id.toLowerCase(), each])).values()) {
      const users = findUsing(change, one.id);
      const found = decideSuperseded(change, kind, one, account, users);
      if (found === "gone") gone.add(one);
      else if (typeof found === "string") notes.push(found);
      else {
        const after = [address, ...users.map((user) => user.address)];
        deletes.push({ ...found, after, ...(change.held !== undefined && { held: change.held }) });
      }
    }
    const left = superseded.filter((one) => !gone.has(one));
    const { superseded: _, ...rest } = entry;
    if (action !== "keep") return { ...change, notes: [...change.notes, ...notes] };
    for (const note of notes) notices.push({ code: "superseded-kept", message: `${address}: ${note}` });
    const learned = { entry: { ...rest, ...(left.length > 0 && { superseded: left }) } };
    return { ...change, ...(left.length < superseded.length && learned) };
  });
  return { changes: [...others, ...deletes], notices };
}

/**
 * Returns the delete, "gone", or the reason to keep the object. `changed` contains the changes that remove a reference
 * to the object.
 */
function decideSuperseded(
  { address, action, entry }: Change,
  kind: Kind,
  { id, label, applied }: SupersededObject,
  { observation, owners, isUnread, state }: ObservedAccount,
  changed: readonly Change[],
): Change | "gone" | string {
  const isCurrent = isSameId((entry ?? state?.objects[address])?.id, id);
  const isOwn = isCurrent && action !== "supersede";
  const owner = isOwn ? address : findIdOwner(owners, id, address)?.address;
  const describeStaying = (why: string) => `The superseded object ${id} is not deleted, because ${why}`;
  if (owner) return describeStaying(`${owner} now manages it.`);
  // Adds a note instead of a delete. References are unknown here, and a planned delete would make the environment count
  // as behind.
  if (isUnread && !isCurrent) return `Apply deletes the superseded object ${id}, unless it is still in use.`;
  let listed: Pick<ListedObject, "label" | "live"> = { label };
  if (!isUnread) {
    const lookup = observation.listings.get(kind.name)?.findById(id);
    if (lookup?.outcome === "absent") return "gone";
    if (lookup?.outcome !== "found") {
      const { problem, advice } = explainDoubt(kind, lookup?.doubt ?? { reason: "partial" });
      return describeStaying(`${problem}. ${advice}`);
    }
    listed = lookup.found;
  }
  const isAsRecorded =
    applied !== undefined &&
    applied[kind.label] === listed.label &&
    (!listed.live || listChangedFields(kind, applied, listed.live.spec).length === 0);
  if (!isAsRecorded)
    return describeStaying(
      `the live object, named ${JSON.stringify(listed.label)}, differs from the recorded one. To delete it: \`avatarops prune ${id}\`.`,
    );
  const references = observation.references?.get(kind.name)?.get(id.toLowerCase()) ?? [];
  const users = references.filter(
    (user) => !changed.some((change) => change.kind === user.kind.name && isSameId(change.id, user.id)),
  );
  if (users.length > 0) {
    const use = users.length === 1 ? "uses" : "use";
    return describeStaying(
      `${describeUsers(users)} in the account ${use} it. Remove the reference, and apply again.`,
    );
  }
  return {
    ...{ address: toAddress(kind, id), kind: kind.name, label: listed.label, id, supersededBy: address },
    ...{ action: "delete", reason: "superseded", fields: [], overwrites: false },
    ...(listed.live && { liveDigest: digestSpec(kind, listed.live.spec) }),
    notes: [`${address} ${action === "supersede" ? "supersedes" : "has superseded"} it.`],
  };
}

function isSameId(one: string | undefined, other: string): boolean {
  return one?.toLowerCase() === other.toLowerCase();
}
