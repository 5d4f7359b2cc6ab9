import { GitError, isCommitId } from "../../../base/git/index.js";
import {
  isUnreachable,
  noteFailure,
  requestLimitMs,
  type StoreRetryOptions,
  unknownBytes,
  withRetries,
} from "../retry.js";
import { StateError } from "../state-error.js";
import type { GitAddress } from "./git-address.js";
import type { GitFolder } from "./git-folder.js";

/** The commits that both refs point to; undefined: there is no such ref. */
export interface Refs {
  readonly state: string | undefined;
  readonly lock: string | undefined;
}

/** Moves a ref from one commit to another; undefined: it does not exist before, or after. */
export interface RefUpdate {
  readonly ref: keyof Refs;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** The server cannot move two refs at once. */
export class NotAtomicError extends Error {
  override readonly name = "NotAtomicError";
}

/** The refs of a state on the server. */
export interface GitRemote {
  readonly address: GitAddress;
  /** One round trip; two if the repository has no commit. */
  refs(): Promise<Refs>;
  /**
   * Fetches commits with their files, and `depth` commits of their history, or what follows on the history that is
   * here; false if the server no longer has one of them. One round trip.
   */
  fetch(commits: readonly string[], depth?: number | "what is new"): Promise<boolean>;
  /**
   * Moves refs, all or none, if each is where it is expected, in one attempt. Returns false if one is not, which may be
   * because this push has moved it and its answer was lost.
   *
   * @throws StateError `unreachable` if it is not known whether it was done; `refused`; NotAtomicError
   */
  move(...moves: readonly RefUpdate[]): Promise<boolean>;
}

export function openGitRemote({ git }: GitFolder, address: GitAddress, retry: StoreRetryOptions): GitRemote {
  const { remote, state, lock } = address;

  function retried<Result>(work: () => Promise<Result>): Promise<Result> {
    const attempt = () =>
      work().catch((error: unknown) => {
        throw toGitStateError(error, address, "read");
      });
    return withRetries(retry, attempt, (error) => isUnreachable(error) && isPassing(error.cause));
  }

  async function refs(): Promise<Refs> {
    // Git takes a web page, as a proxy may send it, for a list without refs. HEAD is in every list of a repository with commits.
    const list = () => retried(() => git.text(["ls-remote", remote, "HEAD", lock, state], limit()));
    const lines = ((await list()) || (await list())).split("\n");
    const findId = (ref: string) => {
      const [id] = lines.find((line) => line.endsWith(`\t${ref}`))?.split("\t") ?? [];
      return id !== undefined && isCommitId(id) ? id : undefined;
    };
    return { state: findId(state), lock: findId(lock) };
  }

  const limit = (bytes = 0) => ({ timeoutMs: requestLimitMs(retry, bytes) });

  return {
    address,
    refs,
    async fetch(commits, depth = 1) {
      const options = ["--quiet", "--no-tags", "--no-write-fetch-head", "--refmap="];
      if (depth !== "what is new") options.push(`--depth=${depth}`);
      try {
        await retried(() => git.run(["fetch", ...options, remote, ...commits], limit(unknownBytes)));
        return true;
      } catch (error) {
        // Some servers give out only what a ref points to, or have removed what none does.
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
      const bytes = moves.some(({ ref, from, to }) => ref === "state" && from !== to) ? unknownBytes : 0;
      const beganMs = retry.system.monotonic();
      try {
        await git.run(["push", "--quiet", ...atomic, ...leases, remote, ...specs], limit(bytes));
        return true;
      } catch (error) {
        if (!(error instanceof GitError)) throw error;
        if (/does not support --atomic/.test(error.stderr)) throw new NotAtomicError();
        const failure = toGitStateError(error, address, "write");
        if (error.code === "timeout" || error.code === "unreachable") noteFailure(retry, beganMs, failure);
        const now = await refs();
        if (moves.some(({ ref, from }) => now[ref] !== from)) return false;
        throw failure;
      }
    },
  };
}

/** Errors of git as those of a state; others unchanged. */
export function toGitStateError(error: unknown, address: GitAddress, deed: "read" | "write"): unknown {
  if (!(error instanceof GitError)) return error;
  const { location, remote, state } = address;
  if (error.code === "cancelled")
    return new StateError("cancelled", location, error.message, { cause: error });
  const message = `Cannot ${deed} ${location}: ${error.message}`;
  if (error.code !== "refused" || isPassing(error))
    return new StateError("unreachable", location, message, { cause: error });
  const advice =
    deed === "write"
      ? `Whoever applies needs permission to push ${state}; a CI job, to write the repository's contents.`
      : `Whoever plans needs permission to fetch from ${remote}.`;
  return new StateError("refused", location, `${message} ${advice}`, { cause: error });
}

/** Whether the same may succeed a moment later. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof GitError)) return false;
  const { code, stderr } = error;
  if (code === "unreachable")
    return !/certificate|ca cert|CAfile|not appear to be a git rep|No such/i.test(stderr);
  if (code === "timeout") return true;
  return /failed to (?:update ref|lock)|cannot lock ref|Unable to create|stale info|transaction failed|internal api unreachable|internal server error/i.test(
    stderr,
  );
}
