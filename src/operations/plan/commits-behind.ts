import { isDeepStrictEqual } from "node:util";
import { GitError, type Repository } from "../../base/git/index.js";
import { listNames } from "../../base/text/index.js";
import { type Change, isWithheld, matchesStored, type Notice, type Plan } from "../../core/engine/index.js";
import {
  findDeclared,
  findRepository,
  findUnseenChanges,
  type HistoryItem,
  openReachableCommits,
  type ReachableCommits,
  type ReplacedValue,
  readHistory,
  type UnseenChange,
} from "../../core/history/index.js";
import { findKind } from "../../core/kinds/index.js";
import type { Declaration, Manifest } from "../../core/manifest/index.js";
import { type Actor, type Intent, isDigest, type State, type StateEntry } from "../../core/state/index.js";
import { describeFullFetch, isInCi, readActor } from "../runtime/actor.js";
import type { Runtime } from "../runtime/runtime.js";
import { openProjectStore } from "../state/project-store.js";

/*
 * Without an applied commit in the checkout, an apply would undo that commit, and its plan would look like an ordinary
 * edit. To detect this, checks each value that the plan would replace. A comparison with the last applied commit is not
 * enough, because that commit may have changed other objects, or its content may be in a squashed commit.
 */

/** Adds notices about values that the plan would undo. They precede the other notices. */
export async function withBehindNotice(
  runtime: Runtime,
  manifest: Manifest,
  state: State | undefined,
  plan: Plan,
  { overwriteDrift, fetchesHistory }: { readonly overwriteDrift: boolean; readonly fetchesHistory: boolean },
): Promise<Plan> {
  const { profile } = manifest.service;
  const declared = new Map(manifest.declarations.map((declaration) => [declaration.address, declaration]));
  const values = plan.changes.flatMap((change) => {
    const entry = state && findExpectedEntry(state, change.address);
    if (!entry || isWithheld(change, overwriteDrift)) return [];
    return listReplacedValues(change, entry, { profile, state, declared });
  });
  if (plan.changes.every(({ action }) => action === "keep")) return plan;
  const { environment } = runtime.host;
  const findUnknown = async (commit: "unreadable" | "no-repository", why: string) =>
    state && values.length > 0
      ? toNotices(await findUnseen(runtime, manifest, state, values, { lookUp: async () => commit }), why)
      : [];
  try {
    const git = await findRepository(manifest.root, { environment, signal: runtime.signal });
    if (!git) return { ...plan, notices: [...(await findUnknown("no-repository", "")), ...plan.notices] };
    if (!state || values.length === 0) return plan;
    const commits = openReachableCommits(git);
    const find = () => findUnseen(runtime, manifest, state, values, commits);
    let found = await find();
    // Fetching history is fine in the throwaway clone of a CI job, but not in a user's clone.
    const mayFetch = fetchesHistory || isInCi(runtime.host);
    if (mayFetch && found.some(({ commit }) => commit === "shallow")) {
      await commits.deepen();
      found = await find();
    }
    const unseen = await dropDeclared(found, commits, git, manifest);
    return { ...plan, notices: [...toNotices(unseen, describeFullFetch(runtime.host)), ...plan.notices] };
  } catch (error) {
    if (!(error instanceof GitError) || error.code === "cancelled") throw error;
    const found = await findUnknown("unreadable", error.message);
    const notices = found.length > 0 ? found : [createUnreadableNotice(error)];
    return { ...plan, notices: [...notices, ...plan.notices] };
  }
}

function createUnreadableNotice({ message }: GitError): Notice {
  return {
    code: "unknown-ancestry",
    message: `Git cannot read this checkout, so it is unknown whether it is behind. ${message}`,
  };
}

/** Returns an entry with the values of a write whose outcome is unknown, because the account may have them. */
function findExpectedEntry({ objects, pending }: State, address: string): StateEntry | undefined {
  const entry = objects[address];
  const sent = pending[address]?.sent;
  return entry && sent ? { ...entry, applied: { ...entry.applied, ...sent } } : entry;
}

interface ReplacementContext {
  readonly profile: Manifest["service"]["profile"];
  readonly state: State;
  readonly declared: ReadonlyMap<string, Declaration>;
}

/**
 * Returns the recorded values that a change replaces. Each has a function that checks whether a commit contains the
 * value.
 */
function listReplacedValues(
  { address, kind, action, fields }: Change,
  now: StateEntry,
  { profile, state, declared }: ReplacementContext,
): ReplacedValue[] {
  if (action === "forget" || action === "delete")
    return [
      {
        address,
        getValue: (entry) => entry !== undefined,
        isRestoredTo: (entry) => entry === undefined,
        matches: (declaration) => declaration !== undefined,
      },
    ];
  return fields.flatMap(({ field: name, after, cause, type }): ReplacedValue[] => {
    if (cause === "drifted" || type === "write-only" || after === undefined) return [];
    if (name === "protect" || name === "on_removal") {
      const isProtect = name === "protect";
      const getEntryValue = (entry: StateEntry | undefined) =>
        isProtect ? String(entry?.protected ?? false) : (entry?.onRemoval ?? "default");
      const isRestoredTo = (entry: StateEntry | undefined) =>
        entry !== undefined && getEntryValue(entry) === after;
      const matches = (one: Declaration | undefined) =>
        (isProtect ? String(one?.protect ?? false) : (one?.onRemoval ?? "default")) === getEntryValue(now);
      return [{ address, name, getValue: getEntryValue, isRestoredTo, matches }];
    }
    const field = findKind(kind, profile)?.fields[name];
    if (!field) return [];
    const stored = now.applied[name];
    const own = declared.get(address);
    // References are recorded as ids and declared as addresses.
    const toDeclaredValue = ({ spec, references }: Declaration) => {
      const target = references?.[name];
      if (target === undefined) return spec[name];
      return state.objects[target]?.id ?? declared.get(target)?.id;
    };
    const isDeclaredIn = ({ spec, references }: Declaration) =>
      spec[name] !== undefined || references?.[name] !== undefined;
    return [
      {
        ...{ address, name },
        getValue: (entry) => entry?.applied[name],
        isRestoredTo(entry) {
          if (!entry) return false;
          const earlier = entry.applied[name];
          return earlier === undefined ? !own || !isDeclaredIn(own) : matchesStored(field, earlier, after);
        },
        // Cleared fields are not recorded, so a commit without the field counts as clearing it.
        matches: (declaration) =>
          stored === undefined
            ? declaration !== undefined && !isDeclaredIn(declaration)
            : matchesStored(field, stored, declaration && toDeclaredValue(declaration)),
        ...(isDigest(stored) ? { text: { field, digest: stored.digest } } : {}),
      },
    ];
  });
}

async function findUnseen(
  runtime: Runtime,
  manifest: Manifest,
  state: State,
  values: readonly ReplacedValue[],
  commits: Pick<ReachableCommits, "lookUp">,
): Promise<UnseenChange[]> {
  const recorded = readHistory(openProjectStore(runtime, manifest).readHistory(), state);
  const history = withPendingWrites(recorded, state);
  let actor: Promise<Actor> | undefined;
  const isOwnRecord = async ({ by }: Pick<UnseenChange["record"], "by">) => {
    actor ??= readActor(runtime, manifest.root);
    return isDeepStrictEqual(by, await actor);
  };
  const found = await findUnseenChanges(history, values, async (record) => {
    if (!record.definitions) return (await isOwnRecord(record)) ? "reachable" : "unrecorded";
    const commit = await commits.lookUp(record.definitions);
    // Does not warn users about their own uncommitted edits.
    return commit === "uncommitted" && (await isOwnRecord(record)) ? "reachable" : commit;
  });
  const unseen: UnseenChange[] = [];
  // If the same user ran the last apply, the new value is a follow-up edit, for example after amending a commit.
  for (const one of found)
    if (one.isOlder || (countsIfNewer[one.commit] && (one.record.by.ci || !(await isOwnRecord(one.record)))))
      unseen.push(one);
  return unseen;
}

/** Adds a record for the updates of each run whose outcome is unknown. */
async function* withPendingWrites(
  history: AsyncIterable<HistoryItem>,
  state: State,
): AsyncGenerator<HistoryItem> {
  const { lineage, serial, pending } = state;
  const runs = new Map<string, Intent[]>();
  for (const intent of Object.values(pending)) {
    const key = JSON.stringify(intent.run ?? {});
    runs.set(key, [...(runs.get(key) ?? []), intent]);
  }
  for (const writes of runs.values()) {
    const [{ at, run = { by: {} } }] = writes as [Intent];
    const changes = writes.flatMap(({ address }) => {
      const [before, after] = [state.objects[address], findExpectedEntry(state, address)];
      return before && after ? [[address, { before, after }] as const] : [];
    });
    const objects = Object.fromEntries(changes);
    const record = { record: 1, lineage, serial, at, command: "", ...run, recovered: true, objects } as const;
    yield { is: "record", own: true, record };
  }
  yield* history;
}

/**
 * Whether to report that a value replaces one applied by another user, by the status of that user's commit. The author
 * of the new value may not have seen the replaced one.
 */
const countsIfNewer: Readonly<Record<UnseenChange["commit"], boolean>> = {
  unreachable: true,
  shallow: true,
  "no-repository": true,
  unrecorded: true,
  uncommitted: false,
  unreadable: false,
};

/**
 * Drops values that a commit in the current history declares. A squash, rebase or cherry-pick gives the applied commit
 * another id.
 */
async function dropDeclared(
  found: readonly UnseenChange[],
  commits: ReachableCommits,
  git: Repository,
  { file, environment }: Manifest,
): Promise<readonly UnseenChange[]> {
  const at = { folder: git.prefix, file, environment };
  const later = new Map<UnseenChange, readonly string[]>();
  for (const one of found) later.set(one, await commits.since(one.record.at));
  for (const commit of new Set([...later.values()].flat())) {
    const wanted = [...later.keys()].filter((one) => later.get(one)?.includes(commit));
    const declared = await findDeclared(
      git,
      { ...at, commit },
      wanted.map(({ value }) => value),
    );
    for (const one of wanted) if (declared.includes(one.value)) later.delete(one);
  }
  return [...later.keys()];
}

/**
 * Creates a notice for each record, `behind` first. `more` is text to add: an error from git, or how to fetch the
 * history of a shallow clone.
 */
function toNotices(found: readonly UnseenChange[], more = ""): Notice[] {
  const groups = new Map<string, UnseenChange[]>();
  for (const one of found) {
    const { commit, isOlder, record, value } = one;
    const key = `${commit === "unreachable"} ${isOlder} ${record.serial} ${value.name === undefined}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return Array.from(groups.values(), (group) => toNotice(group, more)).toSorted((one, other) =>
    one.code.localeCompare(other.code),
  );
}

function toNotice(group: readonly UnseenChange[], more: string): Notice {
  const [{ record, commit, value, isOlder }] = group as [UnseenChange];
  const what = listNames(
    group.map(({ value: { address, name } }) => (name ? `${address}.${name}` : address)),
  );
  const isOne = group.length === 1;
  const by = record.by.user ?? record.by.host;
  const from = record.definitions ? `commit ${record.definitions.commit.slice(0, 10)}, ` : "";
  const applied = `${from}applied${by === undefined ? "" : ` by ${by}`} on ${record.at.slice(0, 10)}`;
  const when = `serial ${record.serial} (${applied})`;
  const back =
    value.name === undefined
      ? `Applying would forget ${what}, declared at ${when}`
      : isOlder
        ? `Applying would revert ${what} to the ${isOne ? "value" : "values"} before ${when}`
        : `Applying would overwrite the ${isOne ? "value" : "values"} of ${what} from ${when}`;
  if (commit === "unreachable")
    return {
      code: "behind",
      message: `${back}. This checkout does not contain that commit. Get it with \`git pull\`, or merge it.`,
    };
  if (commit === "unreadable")
    return {
      code: "behind",
      message: `${back}. Git cannot read this checkout, so it is unknown whether it contains that commit. ${more}`,
    };
  if (commit === "shallow")
    return {
      code: "behind",
      message: `${back}. This clone is shallow, so it is unknown whether it contains that commit. ${more}`,
    };
  // The edit was pulled in another checkout and may not be committed yet.
  if (commit === "uncommitted" && record.command === "avatarops pull")
    return {
      code: "behind",
      message: `${back}. This dashboard edit was pulled, but no commit here contains it. Get the commit with \`git pull\`, or merge the pull request that contains it.`,
    };
  return { code: "unknown-ancestry", message: `${back}. ${unknown[commit]}.` };
}

/** Why it is unknown whether the checkout contains a commit. */
const unknown = {
  uncommitted: "The applied files differed from that commit, and no commit here contains the applied value",
  "no-repository":
    "These files are not in a git repository, so it is unknown whether they are newer than that apply",
  unrecorded: "That apply was not run in a git repository, so it is unknown whether these files are newer",
};
