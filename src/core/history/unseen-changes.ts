import { isDeepStrictEqual } from "node:util";
import { ignoreGitFailure, isAncestor, isShallow, type Repository } from "../../base/git/index.js";
import type { CommitRecord, RecordedDefinitions, StateEntry } from "../state/index.js";
import type { DeclaredValue } from "./committed-project.js";
import type { HistoryItem } from "./read-history.js";

/** Recorded value that a plan would replace. */
export interface ReplacedValue extends DeclaredValue {
  /** Field of the object, or `protect`. Omitted if the object was removed from the files. */
  readonly name?: string;
  /** Returns the recorded value in an entry, or undefined if the object is not managed. */
  getValue(entry: StateEntry | undefined): unknown;
  /** Returns whether the plan restores an entry's value. */
  isRestoredTo(entry: StateEntry | undefined): boolean;
}

/** Applied change that the checkout may lack, and that the plan would revert or overwrite. */
export interface UnseenChange {
  readonly value: ReplacedValue;
  /** Record that set the value. */
  readonly record: CommitRecord;
  readonly commit: Exclude<Reachability, "reachable">;
  /** Whether the plan restores a value that was applied earlier. */
  readonly isOlder: boolean;
}

/** Maximum number of records to read, because each takes a request in some stores. */
const maxRecords = 50;

/**
 * Finds recorded values that a plan would replace although the checkout lacks the commit that applied them. Follows
 * each value back through its records and renames, until the checkout contains the commit or the plan restores the
 * earlier value.
 */
export async function findUnseenChanges(
  history: AsyncIterable<HistoryItem>,
  values: readonly ReplacedValue[],
  lookUp: (record: CommitRecord) => Promise<Reachability>,
): Promise<UnseenChange[]> {
  const followed = values.map((value): FollowedValue => ({ value, address: value.address }));
  let open = followed;
  let read = 0;
  for await (const item of history) {
    if (item.is === "record" && item.own) for (const one of open) await follow(one, item.record, lookUp);
    open = open.filter(({ isDone }) => !isDone);
    if (open.length === 0 || ++read >= maxRecords) break;
  }
  return followed.flatMap(({ value, set, isOlder = false }) => (set ? [{ value, ...set, isOlder }] : []));
}

interface FollowedValue {
  readonly value: ReplacedValue;
  /** Address that the object had before the records read so far. */
  address: string;
  /** Record that set the value, once found. */
  set?: Pick<UnseenChange, "record" | "commit">;
  isOlder?: boolean;
  isDone?: boolean;
}

async function follow(
  one: FollowedValue,
  record: CommitRecord,
  lookUp: (record: CommitRecord) => Promise<Reachability>,
): Promise<void> {
  const { value, address } = one;
  if (!Object.hasOwn(record.objects, address)) return;
  if (record.moved?.to === address) one.address = record.moved.from;
  const before = record.objects[one.address]?.before;
  const entry = record.objects[address]?.after;
  if (isDeepStrictEqual(value.getValue(before), value.getValue(entry))) return;
  const commit = await lookUp(record);
  one.isDone = commit === "reachable" || value.isRestoredTo(before);
  if (commit === "reachable") return;
  one.set ??= { record, commit };
  one.isOlder = one.isDone;
}

/** Relation of the applied commit to HEAD. `reachable` means that it is an ancestor. */
type Reachability =
  | "reachable"
  | "unreachable"
  | "uncommitted" // the applied files differed from the commit
  | "shallow" // the clone lacks the commits to decide
  | "unreadable" // git cannot read the checkout
  | "no-repository" // the checkout is not in a repository
  | "unrecorded"; // the applied files were not in a repository

export type ReachableCommits = ReturnType<typeof openReachableCommits>;

const maxCommits = 20;
const maxClockSkewMs = 5 * 60_000;

/** Checks which commits are reachable from HEAD. */
export function openReachableCommits(git: Repository) {
  // Prevents git from fetching missing objects one by one.
  const offline = { GIT_NO_LAZY_FETCH: "1" };
  let answers = new Map<string, Promise<boolean>>();
  return {
    async lookUp({ commit, modified }: RecordedDefinitions): Promise<Reachability> {
      const answer = answers.get(commit) ?? isAncestor(git, commit, "HEAD", offline);
      answers.set(commit, answer);
      if (await answer) return modified ? "uncommitted" : "reachable";
      return (await isShallow(git)) ? "shallow" : "unreachable";
    },
    /**
     * Returns the newest commits since a time (ISO 8601) that changed the project folder. Allows for clocks that differ
     * by a few minutes.
     */
    async since(time: string): Promise<readonly string[]> {
      if ((await git.readHead()) === undefined) return [];
      const from = Math.floor((Date.parse(time) - maxClockSkewMs) / 1000) || 0;
      const which = [`--max-count=${maxCommits}`, `--since=${from}`];
      const listed = await git.readText(["rev-list", ...which, "HEAD", "--", "."]);
      return listed.split("\n").filter((commit) => commit !== "");
    },
    /** Fetches from `origin` the commits that a shallow clone lacks. */
    async deepen(): Promise<void> {
      if (!(await isShallow(git))) return;
      answers = new Map();
      const how = ["--quiet", "--no-tags", "--unshallow", "--filter=blob:none"];
      // After a failure, the result stays `shallow`.
      await git.run(["fetch", ...how, "origin"]).catch(ignoreGitFailure);
    },
  };
}
