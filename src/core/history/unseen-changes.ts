import { isDeepStrictEqual } from "node:util";
import { ignoreGitFailure, isAncestor, isShallow, type Repository } from "../../base/git/index.js";
import type { CommitRecord, Definitions, Entry } from "../state/index.js";
import type { DeclaredValue } from "./committed-project.js";
import type { HistoryItem } from "./read-history.js";

/** A recorded value that a plan replaces. */
export interface ReplacedValue extends DeclaredValue {
  /** A field of the object, or `protect`. Absent: the object is no longer declared. */
  readonly name?: string;
  /** The value that an entry records; undefined: the object is not managed. */
  valueIn(entry: Entry | undefined): unknown;
  /** Whether the plan brings back what an entry records. */
  restores(entry: Entry | undefined): boolean;
}

/** An applied change of which the checkout may not know, and whose value the plan replaces. */
export interface UnseenChange {
  readonly value: ReplacedValue;
  /** The record that set the value. */
  readonly record: CommitRecord;
  readonly commit: Exclude<Reachability, "reachable">;
  /** What the plan brings back was applied earlier; otherwise it is new. */
  readonly isOlder: boolean;
}

/** Records that are read: each is a request to some stores. */
const mostRecords = 50;

/**
 * Finds the recorded values that are replaced although the checkout does not contain the commit from which they were
 * applied. Each value is followed back, through renames, until the checkout knows what was applied: then what stands in
 * the files is an edit of that. Records that are lost are not guessed at.
 */
export async function findUnseenChanges(
  history: AsyncIterable<HistoryItem>,
  values: readonly ReplacedValue[],
  lookUp: (record: CommitRecord) => Promise<Reachability>,
): Promise<UnseenChange[]> {
  const followed = values.map((value): Followed => ({ value, address: value.address }));
  let open = followed;
  let read = 0;
  for await (const item of history) {
    if (item.is === "record" && item.own) for (const one of open) await follow(one, item.record, lookUp);
    open = open.filter(({ isDone }) => !isDone);
    if (open.length === 0 || ++read >= mostRecords) break;
  }
  return followed.flatMap(({ value, set, isOlder = false }) => (set ? [{ value, ...set, isOlder }] : []));
}

interface Followed {
  readonly value: ReplacedValue;
  /** The one that the object had then. */
  address: string;
  /** Once the record is found that set the value. */
  set?: Pick<UnseenChange, "record" | "commit">;
  isOlder?: boolean;
  isDone?: boolean;
}

async function follow(
  one: Followed,
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
 * Whether the checkout contains the commit that was applied, as git says it: by the ancestors of HEAD. `uncommitted`: the
 * applied files differed from the commit; `shallow`: this clone lacks the commits that would tell; `unreadable`: git cannot
 * read the checkout; `no-repository`: it is none; `unrecorded`: the files that were applied were in none.
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

const mostSince = 20;
const clockToleranceMs = 5 * 60_000;

/** Before the first commit, none is reachable. */
export function openReachableCommits(git: Repository) {
  // Missing objects are not fetched one by one.
  const offline = { GIT_NO_LAZY_FETCH: "1" };
  let answers = new Map<string, Promise<boolean>>();
  return {
    async lookUp({ commit, modified }: Definitions): Promise<Reachability> {
      const answer = answers.get(commit) ?? isAncestor(git, commit, "HEAD", offline);
      answers.set(commit, answer);
      if (await answer) return modified ? "uncommitted" : "reachable";
      return (await isShallow(git)) ? "shallow" : "unreachable";
    },
    /** The newest of those that changed the project's folder since a time (ISO 8601), or shortly before it. */
    async since(time: string): Promise<readonly string[]> {
      if ((await git.head()) === undefined) return [];
      const from = Math.floor((Date.parse(time) - clockToleranceMs) / 1000) || 0;
      const which = [`--max-count=${mostSince}`, `--since=${from}`];
      const listed = await git.text(["rev-list", ...which, "HEAD", "--", "."]);
      return listed.split("\n").filter((commit) => commit !== "");
    },
    /** Fetches the commits that a shallow clone lacks, from `origin`. */
    async deepen(): Promise<void> {
      if (!(await isShallow(git))) return;
      answers = new Map();
      const how = ["--quiet", "--no-tags", "--unshallow", "--filter=blob:none"];
      // If that fails, it is not known.
      await git.run(["fetch", ...how, "origin"]).catch(ignoreGitFailure);
    },
  };
}
