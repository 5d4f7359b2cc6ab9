import { isRefName } from "../../../base/git/index.js";
import { StateError } from "../state-error.js";
import type { StoreNames } from "../store-backend.js";

/** The position of a state in git, from `git+refs://origin/avatarops/production`. */
export interface GitAddress {
  /** As written. */
  readonly location: string;
  /** The name of a remote of the project's repository. */
  readonly remote: string;
  /** The ref whose commits are the states: `refs/avatarops/production`. */
  readonly state: string;
  /** The ref that exists during a run: `refs/avatarops-locks/production`. See git.ts. */
  readonly lock: string;
}

/**
 * Parses the URL of a state in git.
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
  // Allows only our refs: forks can write others, such as refs/pull/7/head, and people's branches must not change.
  const isOurs = /^(?:heads\/)?avatarops(?:\/|$)/.test(folder) && !folder.endsWith("-locks");
  if (username || password || port || search || hash || !isRefName(remote) || !isRefName(state) || !isOurs)
    throw new StateError(
      "unknown-store",
      location,
      `\`state: ${location}\` must be a remote of the project's repository and a ref below avatarops/ or heads/avatarops/. Write it like git+refs://origin/avatarops/production.`,
    );
  return { location, remote, state, lock: `refs/${folder}-locks/${name}` };
}

/** Names the parts of the store in messages. */
export function createGitStoreNames({ location, remote, state, lock }: GitAddress): StoreNames {
  return {
    state: location,
    journal: `the journal in ${lock} of ${remote}`,
    lock: `${lock} of ${remote}`,
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
