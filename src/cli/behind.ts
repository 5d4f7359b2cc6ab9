import { isDeepStrictEqual } from "node:util";
import { type Change, matchesStored, type Notice, type Plan } from "../engine/index.js";
import { GitError, type Repository } from "../git/index.js";
import {
  type KnownCommits,
  knownCommits,
  openTextFinder,
  type Replaced,
  type Replacement,
  readHistory,
  replacedUnknown,
  repositoryAt,
  type Said,
} from "../history/index.js";
import { kindNamed, parseAddress } from "../kinds/index.js";
import type { Declaration, Manifest } from "../manifest/index.js";
import type { Entry, State, StoredValue } from "../state/index.js";
import { actorIn } from "./actor.js";
import type { Call } from "./command.js";
import { listed } from "./listed.js";
import { openProjectStore } from "./store.js";

/*
 * A checkout that lacks a commit which was applied would undo it, and the plan of it looks like an edit. Whether that is
 * so is asked of each value that the plan replaces, and not of the last commit alone: somebody may have applied other
 * objects since, and the commit may have been squashed into one that is here.
 */

/** The plan, with what it would undo told first. */
export async function notingCommits(
  call: Call,
  manifest: Manifest,
  state: State | undefined,
  plan: Plan,
  { overwriteDrift, deepens }: { readonly overwriteDrift: boolean; readonly deepens: boolean },
): Promise<Plan> {
  if (!state) return plan;
  const declared = new Map(manifest.declarations.map((declaration) => [declaration.address, declaration]));
  const replacements = plan.changes
    .filter(({ address, overwrites }) => state.objects[address] && (!overwrites || overwriteDrift))
    .flatMap((change) => replacementsOf(change, declared.get(change.address)));
  if (replacements.length === 0) return plan;
  const { environment } = call.host;
  const git = await repositoryAt(manifest.root, { environment, signal: call.signal });
  try {
    const commits = git && (await knownCommits(git));
    if (!git || !commits) return plan;
    const find = () => findReplaced(call, manifest, state, replacements, commits);
    let found = await find();
    if (deepens && found.some(({ known }) => known === "shallow")) {
      await commits.deepen();
      found = await find();
    }
    const unknown = await unknownTo(git, commits, manifest, state, found);
    return unknown.length === 0 ? plan : { ...plan, notices: [...noticesOf(unknown), ...plan.notices] };
  } catch (error) {
    // As where there is no git.
    if (error instanceof GitError && error.code !== "cancelled") return plan;
    throw error;
  }
}

/** Those whose value no commit here has: the one that was applied may have been squashed, rebased or picked. */
async function unknownTo(
  git: Repository,
  commits: KnownCommits,
  { file, environment }: Manifest,
  state: State,
  found: readonly Replaced[],
): Promise<readonly Replaced[]> {
  const finder = openTextFinder({ git, manifest: undefined });
  const at = { folder: git.prefix, file, ...(environment === undefined ? {} : { environment }) };
  const later = new Map<Replaced, readonly string[]>();
  for (const one of found) later.set(one, await commits.since(one.record.at));
  for (const commit of new Set([...later.values()].flat()))
    for (const [one, among] of later)
      if (among.includes(commit) && (await finder.isSaidIn(commit, at, saidOf(one, state))))
        later.delete(one);
  return [...later.keys()];
}

async function findReplaced(
  call: Call,
  manifest: Manifest,
  state: State,
  replacements: readonly Replacement[],
  commits: KnownCommits,
): Promise<Replaced[]> {
  const me = await actorIn(manifest.root, call.host);
  const history = readHistory(openProjectStore(call, manifest).history(), state);
  const found = await replacedUnknown(history, replacements, async ({ definitions, by }) => {
    if (!definitions) return "known";
    const known = await commits.knows(definitions);
    // Whoever tries something out knows what.
    return known === "uncommitted" && isDeepStrictEqual(by, me) ? "known" : known;
  });
  return found.filter(({ known, isOlder }) => isOlder || known === "unknown");
}

/** What a change replaces of what the state records. */
function replacementsOf(
  { address, kind, action, fields }: Change,
  declared: Declaration | undefined,
): Replacement[] {
  if (action === "forget" || action === "delete")
    return [{ address, valueIn: (entry) => entry !== undefined, restores: (entry) => entry === undefined }];
  return fields.flatMap(({ field: name, after, cause, type }): Replacement[] => {
    if (cause === "drifted" || type === "write-only" || after === undefined) return [];
    if (name === "protect") {
      const valueIn = (entry: Entry | undefined) => String(entry?.protected ?? false);
      return [
        {
          address,
          field: name,
          valueIn,
          restores: (entry) => entry !== undefined && valueIn(entry) === after,
        },
      ];
    }
    const field = kindNamed(kind)?.fields[name];
    const restores = (entry: Entry | undefined) => {
      if (!entry || !field) return false;
      const earlier = entry.applied[name];
      return earlier === undefined
        ? declared?.spec[name] === undefined
        : matchesStored(field, earlier, after);
    };
    return [{ address, field: name, valueIn: (entry) => entry?.applied[name], restores }];
  });
}

/** What files would say that contain the value which is replaced. */
function saidOf({ replacement: { address, field: name, valueIn } }: Replaced, { objects }: State): Said {
  const now = valueIn(objects[address]);
  const kind = parseAddress(address)?.kind;
  const field = name === undefined ? undefined : kind?.fields[name];
  if (name === undefined || !kind || !field)
    return {
      address,
      isIn: (declaration) =>
        name ? String(declaration?.protect ?? false) === now : declaration !== undefined,
    };
  const stored = now as StoredValue | undefined;
  const isDigest = typeof stored === "object" && "digest" in stored;
  return {
    address,
    isIn: (declaration) => matchesStored(field, stored, declaration?.spec[name]),
    ...(isDigest ? { text: { kind, field: name, stored } } : {}),
  };
}

/** One sentence for each commit, what is refused first. */
function noticesOf(found: readonly Replaced[]): Notice[] {
  const groups = new Map<string, Replaced[]>();
  for (const one of found) {
    const key = `${codeOf(one)} ${one.record.serial} ${one.replacement.field === undefined}`;
    const group = groups.get(key);
    if (group) group.push(one);
    else groups.set(key, [one]);
  }
  const notices = [...groups.values()].map(noticeOf);
  return codes.flatMap((code) => notices.filter((notice) => notice.code === code));
}

const codes = ["behind", "unknown-ancestry", "diverged"] as const;

function codeOf({ known, isOlder }: Replaced): (typeof codes)[number] {
  if (known !== "unknown") return "unknown-ancestry";
  return isOlder ? "behind" : "diverged";
}

function noticeOf(group: readonly Replaced[]): Notice {
  const [first] = group as [Replaced];
  const { record, known } = first;
  const code = codeOf(first);
  const names = group.map(({ replacement: { address, field } }) => (field ? `${address}.${field}` : address));
  const what = listed(names);
  const [goes, it] = names.length === 1 ? ["goes", "it was"] : ["go", "they were"];
  const by = record.by.user ?? record.by.host;
  const commit = `commit ${record.definitions?.commit.slice(0, 10)}`;
  const when = `serial ${record.serial} (${commit}, applied${by === undefined ? "" : ` by ${by}`} on ${record.at.slice(0, 10)})`;
  const back =
    first.replacement.field === undefined
      ? `${what} would be forgotten: declared at ${when}`
      : `${what} ${goes} back to what ${it} before ${when}`;
  switch (code) {
    case "behind":
      return {
        code,
        message: `${back}. This checkout does not contain that commit: get it with \`git pull\` or merge it, or go back with \`apply --force-behind\`.`,
      };
    case "diverged":
      return {
        code,
        message: `${what} ${names.length === 1 ? "replaces" : "replace"} what ${when} applied. This checkout does not contain that commit.`,
      };
    case "unknown-ancestry": {
      const why =
        known === "shallow"
          ? "Whether this checkout contains that commit cannot be known: this clone is shallow (`git fetch --unshallow` gets the rest; in CI, `fetch-depth: 0`)"
          : "It was applied from files that differed from that commit, and no commit here has it";
      return { code, message: `${back}. ${why}.` };
    }
  }
}
