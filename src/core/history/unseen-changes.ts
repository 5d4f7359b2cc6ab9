import { isDeepStrictEqual } from "node:util";
import { ignoreGitFailure, isAncestor, isShallow, type Repository } from "../../base/git/index.js";
import type { CommitRecord, RecordedDefinitions, StateEntry } from "../state/index.js";
import type { DeclaredValue } from "./committed-project.js";
import type { HistoryItem } from "./read-history.js";

/** A recorded value that a plan replaces. */
export interface ReplacedValue extends DeclaredValue {
  /** A field of the object, or `protect`. Absent if the object is no longer declared. */
  readonly name?: string;
  /** Returns the recorded value of an entry; undefined if the object is not managed. */
  valueIn(entry: StateEntry | undefined): unknown;
  /** Whether the plan restores the value of an entry. */
  restores(entry: StateEntry | undefined): boolean;
}

/** An applied change that the checkout may lack, and whose value the plan replaces. */
export interface UnseenChange {
  readonly value: ReplacedValue;
  /** Record that set the value. */
  readonly record: CommitRecord;
  readonly commit: Exclude<Reachability, "reachable">;
  /** Whether the plan's value was applied earlier; otherwise it is new. */
  readonly isOlder: boolean;
}

/** Maximum number of records to read. In some stores each takes a request. */
const maxRecords = 50;

/**
 * Finds recorded values that a plan replaces although the checkout lacks the commit from which they were applied. Follows
 * each value back, through renames, to a value that the checkout contains: the files are then an edit of that value. Makes
 * no assumptions about lost records.
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
  /** Address of the object at that time. */
  address: string;
  /** Set when the record that set the value is found. */
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
  if (isDeepStrictEqual(value.valueIn(before), value.valueIn(entry))) return;
  const commit = await lookUp(record);
  one.isDone = commit === "reachable" || value.restores(before);
  if (commit === "reachable") return;
  one.set ??= { record, commit };
  one.isOlder = one.isDone;
}

/**
 * Whether the applied commit is an ancestor of HEAD. `uncommitted`: the applied files differed from the commit. `shallow`: the
 * clone lacks the commits to decide. `unreadable`: git cannot read the checkout. `no-repository`: the checkout is not in a
 * repository. `unrecorded`: the applied files were not in one.
 */
type Reachability =
  | "reachable"
  | "unreachable"
  | "uncommitted"
  | "shallow"
  | "unreadable"
  | "no-repository"
  | "unrecorded";

export type ReachableCommits = ReturnType<typeof openReachableCommits>;

const maxCommits = 20;
const clockToleranceMs = 5 * 60_000;

/** Opens the commits reachable from HEAD. There are none before the first commit. */
export function openReachableCommits(git: Repository) {
  // Prevents fetching missing objects one by one.
  const offline = { GIT_NO_LAZY_FETCH: "1" };
  let answers = new Map<string, Promise<boolean>>();
  return {
    async lookUp({ commit, modified }: RecordedDefinitions): Promise<Reachability> {
      const answer = answers.get(commit) ?? isAncestor(git, commit, "HEAD", offline);
      answers.set(commit, answer);
      if (await answer) return modified ? "uncommitted" : "reachable";
      return (await isShallow(git)) ? "shallow" : "unreachable";
    },
    /** Returns the newest commits that changed the project's folder since a time (ISO 8601), with some tolerance. */
    async since(time: string): Promise<readonly string[]> {
      if ((await git.head()) === undefined) return [];
      const from = Math.floor((Date.parse(time) - clockToleranceMs) / 1000) || 0;
      const which = [`--max-count=${maxCommits}`, `--since=${from}`];
      const listed = await git.text(["rev-list", ...which, "HEAD", "--", "."]);
      return listed.split("\n").filter((commit) => commit !== "");
    },
    /** Fetches the commits that a shallow clone lacks, from `origin`. */
    async deepen(): Promise<void> {
      if (!(await isShallow(git))) return;
      answers = new Map();
      const how = ["--quiet", "--no-tags", "--unshallow", "--filter=blob:none"];
      // After a failure, the result stays `shallow`.
      await git.run(["fetch", ...how, "origin"]).catch(ignoreGitFailure);
    },
  };
}
