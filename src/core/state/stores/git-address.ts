import { isRefName } from "../../../base/git/index.js";
import { StateError } from "../state-error.js";
import type { StoreNames } from "../store-backend.js";

/** State location in git, from `git+refs://origin/avatarops/production`. */
export interface GitAddress {
  /** URL as written in the manifest. */
  readonly location: string;
  /** Name of a remote in the project's repository. */
  readonly remote: string;
  /** Ref whose commits are the states, such as `refs/avatarops/production`. */
  readonly state: string;
  /** Ref that exists during a run, such as `refs/avatarops-locks/production` (see git.ts). */
  readonly lock: string;
}

/**
 * Parses a git state URL.
 *
 * @throws StateError `unknown-store`
 */
export function parseGitAddress(url: URL): GitAddress {
  const { username, password, port, search, hash } = url;
  const location = `${url.protocol}//${url.hostname}${url.pathname}`;
  const remote = decode(url.hostname) || "origin";
  const folders = decode(url.pathname).replace(/^\//, "").split("/");
  const name = folders.pop() ?? "";
  const folder = folders.join("/");
  const state = `refs/${folder}/${name}`;
  // Allows only avatarops refs. Forks can write to some other refs (such as refs/pull/7/head), and user branches must
  // not change.
  const isOurs = /^(?:heads\/)?avatarops(?:\/|$)/.test(folder) && !folder.endsWith("-locks");
  if (username || password || port || search || hash || !isRefName(remote) || !isRefName(state) || !isOurs)
    throw new StateError(
      "unknown-store",
      location,
      `\`state: ${location}\` must be a remote of the project's repository and a ref under avatarops/ or heads/avatarops/. Example: git+refs://origin/avatarops/production.`,
    );
  return { location, remote, state, lock: `refs/${folder}-locks/${name}` };
}

/** Creates the names of the store's parts for messages. */
export function createGitStoreNames({ location, remote, state, lock }: GitAddress): StoreNames {
  return {
    state: location,
    journal: `the journal in ${lock} on ${remote}`,
    lock: `${lock} on ${remote}`,
    restore: `find it with \`git fetch ${remote} ${state} && git log FETCH_HEAD\`, restore it with \`git push --force ${remote} COMMIT:${state}\``,
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
