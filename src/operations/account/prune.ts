import { UsageError } from "../../base/diagnostics/index.js";
import { isSameId, listNames, toCanonicalId } from "../../base/text/index.js";
import { restrictToReads, type Service } from "../../core/api/index.js";
import { type Change, findUndeclared, type Outcome } from "../../core/engine/index.js";
import {
  describeMissing,
  digestChanges,
  digestSpec,
  type Kind,
  type ListedObject,
  type Listing,
  listKinds,
  parseAddress,
  toAddress,
} from "../../core/kinds/index.js";
import { describeUsers, findReferences, type ReferringObject } from "../../core/lifecycle/index.js";
import type { State, StateEntry } from "../../core/state/index.js";
import { readLastUse } from "../../sessions/reports/index.js";
import type { Agreement } from "../gates/agreement.js";
import { isAllowed } from "../gates/gates.js";
import { findOtherManagers, listPresetTexts, type OtherManagers } from "../many-projects/other-managers.js";
import { findCandidates, makePlan } from "../plan/plan.js";
import { withService } from "../project/connect.js";
import type { Project } from "../runtime/project.js";
import type { Runtime } from "../runtime/runtime.js";
import { readState } from "../state/project-store.js";
import { executePlan } from "./execute-plan.js";

/* Deletes undeclared objects selected by the user. The deletion is a plan that runs like any other. */

/** An undeclared object of a kind that avatarops can create. */
export interface PrunableObject extends Pick<ListedObject, "id" | "label" | "createdAt" | "updatedAt"> {
  readonly kind: Kind;
  /** Day of the last session with the object, "none" or "unknown". Set only for kinds that sessions use. */
  readonly lastUse?: string | undefined;
  /** Address of the secret that superseded the object. */
  readonly supersededBy?: string | undefined;
  /** Reason why the object cannot be deleted, as a sentence. */
  readonly kept?: string | undefined;
}

/** Objects to delete, with the user's confirmation. */
export interface PruneOptions extends Pick<Agreement, "approve" | "digest" | "repeat"> {
  /** Gates to override. */
  readonly allow?: readonly "held"[] | undefined;
  /** Ids of the objects to delete. */
  readonly ids: readonly string[];
}

/** Undeclared objects, with the projects and lists that could not be read. */
export interface PrunableObjects {
  readonly objects: readonly PrunableObject[];
  /** Other projects whose state could not be read. */
  readonly unread: readonly string[];
  /** Reasons why objects may be missing, as sentences. */
  readonly missing: readonly string[];
}

/** Lists undeclared objects, oldest first. */
export async function findPrunable(runtime: Runtime, project: Project): Promise<PrunableObjects> {
  const others = await findOtherManagers(runtime, project);
  return withService(runtime, { ...project, presets: [] }, async (service) => {
    const state = await readState(runtime, project);
    const { objects, missing } = await readUndeclaredObjects(runtime, project, state, service, others);
    const addLastUse = async (object: PrunableObject) => {
      const { id, kind } = object;
      if (kind.sessionFilter === undefined) return object;
      return { ...object, lastUse: await readLastUse(service, { [kind.sessionFilter]: id }) };
    };
    return { objects: await Promise.all(objects.map(addLastUse)), unread: others.unread, missing };
  });
}

/**
 * Deletes undeclared objects by id.
 *
 * @returns undefined if `approve` returned false.
 * @throws errors of `executePlan`; UsageError `unknown-id`, `not-prunable`. In each case, nothing is deleted.
 */
export async function pruneProject(
  runtime: Runtime,
  project: Project,
  { ids, ...options }: PruneOptions,
): Promise<Outcome | undefined> {
  const others = await findOtherManagers(runtime, project);
  if (others.unread.length > 0)
    runtime.output.warn(
      `It is unknown whether other projects manage these objects, because the state of ${others.unread.join(" and ")} could not be read.`,
    );
  // Omits the presets, so that their stock objects are not looked up.
  const objectsOnly = { ...project, presets: [] };
  return executePlan(runtime, objectsOnly, {
    ...options,
    command: "prune",
    async prepare(service, state) {
      const { made, ...seen } = await readUndeclaredObjects(runtime, project, state, service, others, ids);
      const deletes = await Promise.all(
        [...new Set(ids.map(toCanonicalId))].map((id) => toChange(service, id, seen)),
      );
      // Deletes objects before the objects that they refer to.
      const changes = deletes.map((change) => {
        const users = seen.users.get(toUserKey(change.kind, change.id ?? "")) ?? [];
        const after = users.map(({ kind, id }) => toAddress(kind, id));
        return after.length > 0 ? { ...change, after } : change;
      });
      const { basis, requests } = made.plan;
      const meant = isAllowed(options, "held") ? ["all-vanished"] : ["all-vanished", "held"];
      const notices = made.plan.notices.filter(({ code }) => meant.includes(code));
      const plan = { basis, changes, notices, requests, digest: digestChanges(basis, changes) };
      return { observation: made.observation, project, plan };
    },
  });
}

async function readUndeclaredObjects(
  runtime: Runtime,
  project: Project,
  state: State | undefined,
  service: Service,
  others: OtherManagers,
  pruned: readonly string[] = [],
) {
  const offered = listKinds(project.service.profile);
  const kinds = offered.filter(({ identity }) => identity === "created");
  const made = await makePlan(runtime, { manifest: project, state, service, undeclared: true });
  const { plan, observation } = made;
  const undecided = findCandidates(plan);
  const entries = Object.entries(state?.objects ?? {});
  assertSameAccount(entries, observation.listings);
  const held = new Map(entries.map(([address, { id }]) => [toCanonicalId(id), address]));
  const superseded = new Map(
    entries.flatMap(([address, { superseded = [] }]) =>
      superseded.map(({ id }) => [toCanonicalId(id), address] as const),
    ),
  );
  const presets = [...listPresetTexts(project), ...others.presets];
  const users = await findUsers(offered, restrictToReads(service), observation.listings);
  const findReasonToKeep = ({ remove, name }: Kind, id: string): string | undefined => {
    if (!remove) return "To delete objects, set `service.profile`.";
    const holder = held.get(toCanonicalId(id));
    if (holder !== undefined && project.declarations.some(({ address }) => address === holder))
      return `It is managed as ${holder} until the next apply. Run \`avatarops apply\` first.`;
    if (holder !== undefined)
      return `It is managed as ${holder}, but ${holder} was removed from the files. Run \`avatarops apply\` first.`;
    if (undecided.has(id)) return `It may be ${undecided.get(id)}. \`avatarops plan\` shows how to decide.`;
    const manager = others.managers.get(id.toLowerCase());
    if (manager !== undefined) return `It is managed as ${manager}.`;
    const user = presets.find(({ text }) => text.includes(id.toLowerCase()));
    if (user) return `The preset ${user.name} uses its id.`;
    const left = (users.get(toUserKey(name, id)) ?? []).filter(
      (user) => !pruned.some((one) => isSameId(one, user.id)),
    );
    return left.length > 0 ? `It is used by ${describeUsers(left)} in the account.` : undefined;
  };
  const changes = plan.changes.filter(({ supersededBy }) => !supersededBy);
  const objects = kinds.flatMap((kind) =>
    findUndeclared(kind, observation, changes, state).map(({ id, ...listed }): PrunableObject => {
      const { label, createdAt, updatedAt } = listed;
      const kept = findReasonToKeep(kind, id);
      return { kind, id, label, createdAt, updatedAt, supersededBy: superseded.get(toCanonicalId(id)), kept };
    }),
  );
  const missing = kinds.flatMap((kind) => {
    const doubt = observation.listings.get(kind.name)?.doubt;
    return doubt ? [describeMissing(kind, doubt)] : [];
  });
  const getAgeKey = ({ createdAt = "", id }: PrunableObject) => `${createdAt} ${id}`;
  return {
    made,
    missing,
    users,
    objects: objects.toSorted((a, b) => (getAgeKey(a) < getAgeKey(b) ? -1 : 1)),
  };
}

/** Finds the objects that refer to a deletable object, by its kind and id. */
async function findUsers(
  kinds: readonly Kind[],
  service: Service,
  listings: ReadonlyMap<string, Listing>,
): Promise<ReadonlyMap<string, readonly ReferringObject[]>> {
  const list = async ({ name }: Kind) => {
    const found = listings.get(name);
    if (!found) throw new Error(`Bug: the list of ${name} was not read`);
    return found;
  };
  const found = new Map<string, readonly ReferringObject[]>();
  for (const kind of kinds.filter(({ remove }) => remove)) {
    const { byId } = await findReferences({ kinds, service, list }, kind, { fresh: false });
    for (const [id, users] of byId) found.set(toUserKey(kind.name, id), users);
  }
  return found;
}

function toUserKey(kind: string, id: string): string {
  return `${kind} ${id.toLowerCase()}`;
}

/**
 * Throws if the key seems to belong to another account. Checks only objects that avatarops created, because stock
 * avatars are in every account.
 */
function assertSameAccount(
  entries: readonly [address: string, entry: StateEntry][],
  listings: ReadonlyMap<string, Listing>,
): void {
  const made = entries.filter(([address]) => parseAddress(address)?.kind.identity === "created");
  const lookups = made.flatMap(([address, { id }]) => {
    const { kind } = parseAddress(address) ?? {};
    const lookup = kind && listings.get(kind.name)?.findById(id);
    return lookup ? [{ kind, lookup }] : [];
  });
  if (made.length === 0 || lookups.some(({ lookup }) => lookup.outcome === "found")) return;
  const none = `none of the applied objects (${listNames(made.map(([address]) => address))})`;
  for (const { kind, lookup } of lookups)
    if (lookup.outcome === "unknown")
      throw new UsageError(
        "all-vanished",
        `The account shows ${none}. ${describeMissing(kind, lookup.doubt)}`,
      );
  throw new UsageError(
    "all-vanished",
    `The account has ${none}. Check that the API key belongs to the right account. If the objects were deleted, run \`avatarops apply --allow all-vanished\` first.`,
  );
}

/** Builds the change that deletes one object. The object's digest reveals edits made after the confirmation. */
async function toChange(
  service: Service,
  id: string,
  { objects, missing }: Pick<PrunableObjects, "objects" | "missing">,
): Promise<Change> {
  const found = objects.find((object) => isSameId(object.id, id));
  if (!found)
    throw new UsageError(
      "unknown-id",
      [
        `${JSON.stringify(id)} is not the id of an undeclared object. \`avatarops prune\` lists them.`,
        ...missing,
      ].join(" "),
    );
  if (found.kept) throw new UsageError("not-prunable", `${id} was not deleted. ${found.kept}`);
  const { kind, label, supersededBy } = found;
  const live = await kind.read?.(restrictToReads(service), found.id);
  return {
    ...{ address: toAddress(kind, found.id), kind: kind.name, label },
    ...{ action: "delete", reason: "undeclared", id: found.id },
    ...{ fields: [], overwrites: false },
    ...(live && { liveDigest: digestSpec(kind, live.spec) }),
    notes: supersededBy === undefined ? [] : [`Superseded by ${supersededBy}.`],
  };
}
