import { GitError, isCommitId } from "../../../base/git/index.js";
import {
  assumedTransferBytes,
  getRequestLimitMs,
  isUnreachable,
  recordFailure,
  type StoreRetryOptions,
  withRetries,
} from "../retry.js";
import { StateError } from "../state-error.js";
import type { GitAddress } from "./git-address.js";
import type { GitFolder } from "./git-folder.js";

/** Commits of both refs. A commit is undefined if its ref does not exist. */
export interface Refs {
  readonly state: string | undefined;
  readonly lock: string | undefined;
}

/** Update that moves a ref from one commit to another. An undefined commit means that the ref does not exist. */
export interface RefUpdate {
  readonly ref: keyof Refs;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** Error for a server that cannot move two refs in one atomic push. */
export class NotAtomicError extends Error {
  override readonly name = "NotAtomicError";
}

/** State refs on the server. */
export interface GitRemote {
  readonly address: GitAddress;
  /**
   * Lists the refs in one round trip, or two if the repository has no commit. Servers list refs alphabetically, so the
   * lock is read before the state.
   */
  readRefs(): Promise<Refs>;
  /**
   * Fetches commits with their files, in one round trip. `depth` is the length of the history to fetch. With "new
   * commits", fetches only missing commits. Returns false if the server no longer has one of the commits.
   */
  fetch(commits: readonly string[], depth?: number | "new commits"): Promise<boolean>;
  /**
   * Tries once to move refs atomically, if they are at their expected commits. Returns false if a ref has moved. If the
   * response was lost, this push itself may have moved it.
   *
   * @throws StateError `unreachable` if the outcome is unknown, StateError `refused`, or NotAtomicError.
   */
  move(...moves: readonly RefUpdate[]): Promise<boolean>;
}

export function openGitRemote({ git }: GitFolder, address: GitAddress, retry: StoreRetryOptions): GitRemote {
  const { remote, state, lock } = address;

  function withGitRetries<Result>(work: () => Promise<Result>): Promise<Result> {
    const attempt = () =>
      work().catch((error: unknown) => {
        throw toGitStateError(error, address, "read");
      });
    return withRetries(retry, attempt, (error) => isUnreachable(error) && isTransient(error.cause));
  }

  async function readRefs(): Promise<Refs> {
    // Lists the refs again if there are none, because git also shows no refs for a proxy's web page. In a repository
    // with commits, the list contains HEAD.
    const list = () =>
      withGitRetries(() => git.readText(["ls-remote", remote, "HEAD", lock, state], limitRequest()));
    const lines = ((await list()) || (await list())).split("\n");
    const findId = (ref: string) => {
      const [id] = lines.find((line) => line.endsWith(`\t${ref}`))?.split("\t") ?? [];
      return id !== undefined && isCommitId(id) ? id : undefined;
    };
    return { state: findId(state), lock: findId(lock) };
  }

  const limitRequest = (bytes = 0) => ({ timeoutMs: getRequestLimitMs(retry, bytes) });

  return {
    address,
    readRefs: readRefs,
    async fetch(commits, depth = 1) {
      const options = ["--quiet", "--no-tags", "--no-write-fetch-head", "--refmap="];
      if (depth !== "new commits") options.push(`--depth=${depth}`);
      try {
        await withGitRetries(() =>
          git.run(["fetch", ...options, remote, ...commits], limitRequest(assumedTransferBytes)),
        );
        return true;
      } catch (error) {
        // Some servers serve only the commits that refs point to, or have removed all other commits.
        const { cause } = error as { cause?: unknown };
        if (cause instanceof GitError && /not our ref|unadvertised object/.test(cause.stderr)) return false;
        throw error;
      }
    },
    async move(...moves) {
      const names = { state, lock };
      const leases = moves.map(({ ref, from = "" }) => `--force-with-lease=${names[ref]}:${from}`);
      const specs = moves.map(({ ref, to = "" }) => `${to}:${names[ref]}`);
      const atomic = moves.length > 1 ? ["--atomic"] : [];
      const bytes = moves.some(({ ref, from, to }) => ref === "state" && from !== to)
        ? assumedTransferBytes
        : 0;
      const beganMs = retry.system.monotonic();
      try {
        await git.run(["push", "--quiet", ...atomic, ...leases, remote, ...specs], limitRequest(bytes));
        return true;
      } catch (error) {
        if (!(error instanceof GitError)) throw error;
        if (/does not support --atomic/.test(error.stderr)) throw new NotAtomicError();
        const failure = toGitStateError(error, address, "write");
        if (error.code === "timeout" || error.code === "unreachable") recordFailure(retry, beganMs, failure);
        const now = await readRefs();
        if (moves.some(({ ref, from }) => now[ref] !== from)) return false;
        throw failure;
      }
    },
  };
}

/** Converts git errors to StateErrors. Returns other errors unchanged. */
export function toGitStateError(error: unknown, address: GitAddress, operation: "read" | "write"): unknown {
  if (!(error instanceof GitError)) return error;
  const { location, remote, state } = address;
  if (error.code === "cancelled")
    return new StateError("cancelled", location, error.message, { cause: error });
  const message = `Cannot ${operation} ${location}: ${error.message}`;
  if (error.code !== "refused" || isTransient(error))
    return new StateError("unreachable", location, message, { cause: error });
  const advice =
    operation === "write"
      ? `Give the user who runs \`avatarops apply\` permission to push ${state}. A CI job needs write access to the repository contents.`
      : `Give the user who runs \`avatarops plan\` read access to ${remote}.`;
  return new StateError("refused", location, `${message} ${advice}`, { cause: error });
}

/** Returns whether a retry may succeed. */
function isTransient(error: unknown): boolean {
  if (!(error instanceof GitError)) return false;
  const { code, stderr } = error;
  if (code === "unreachable")
    return !/certificate|ca cert|CAfile|not appear to be a git rep|No such/i.test(stderr);
  if (code === "timeout") return true;
  return /failed to (?:update ref|lock)|cannot lock ref|Unable to create|stale info|transaction failed|internal api unreachable|internal server error/i.test(
    stderr,
  );
}
