import { isDeepStrictEqual } from "node:util";
import type { Repository } from "../../base/git/index.js";
import type { Change } from "../../core/engine/index.js";
import type { Project } from "../runtime/project.js";
import { type CommittedDeclaration, type CommittedDeclarations, readDeclared } from "./change-origins.js";
import { listCommits, maxCommits } from "./last-apply.js";

/**
 * Finds the first-parent commits that introduced the changes, back to the version in the account. Does not rely on
 * records, because anyone with push access can write them.
 *
 * @returns undefined if a change is older than the newest {@link maxCommits} commits.
 */
export async function findChangeCommits(
  changes: readonly Change[],
  git: Repository,
  project: Project,
): Promise<readonly string[] | undefined> {
  const declared = await readDeclared(git, project, "HEAD");
  const readsOutside = changes.some(({ address }) => declared?.get(address)?.readsOutside);
  const commits = (await listCommits(git, project, "HEAD", { readsOutside })).toReversed();
  const pending = new Set(changes);
  const found = new Set<string>();
  let after = declared;
  for (const [at, commit] of commits.slice(0, maxCommits).entries()) {
    for (const change of pending) if (after && isInAccount(after, change)) pending.delete(change);
    if (pending.size === 0) break;
    const parent = commits[at + 1];
    const before: CommittedDeclarations | undefined =
      parent === undefined ? new Map() : await readDeclared(git, project, parent);
    for (const change of pending) {
      if (after && before && !isDifferent(before.get(change.address), after.get(change.address), change))
        continue;
      found.add(commit);
      // The account's value is unknown, because the service never returns secrets. So the search ends at the last
      // commit that changed the source.
      if (isWriteOnly(change) && after && before) pending.delete(change);
    }
    after = before;
  }
  return pending.size > 0 && commits.length > maxCommits ? undefined : [...found].toReversed();
}

/** Returns whether the account has the version declared by a commit. */
function isInAccount(declared: CommittedDeclarations, { address, action, fields }: Change): boolean {
  const declaration = declared.get(address);
  if (action === "create" || action === "adopt") return declaration === undefined;
  if (action === "delete" || action === "forget") return declaration !== undefined;
  if (!declaration || isWriteOnly({ fields })) return false;
  const readable = fields.filter(({ type }) => type !== "write-only");
  return readable.every(({ field, before }) =>
    isDeepStrictEqual(toEmptyIfAbsent(declaration.spec[field]), toEmptyIfAbsent(before)),
  );
}

function isWriteOnly({ fields }: Pick<Change, "fields">): boolean {
  return fields.length > 0 && fields.every(({ type }) => type === "write-only");
}

function isDifferent(
  before: CommittedDeclaration | undefined,
  after: CommittedDeclaration | undefined,
  change: Change,
): boolean {
  if (!before || !after || !isWriteOnly(change)) return !isDeepStrictEqual(before, after);
  return !isDeepStrictEqual([before.sources, before.values], [after.sources, after.values]);
}

function toEmptyIfAbsent(value: unknown): unknown {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0) ? "" : value;
}
