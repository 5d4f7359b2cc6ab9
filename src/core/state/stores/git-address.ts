import { isRefName } from "../../../base/git/index.js";
import { StateError } from "../state-error.js";
import type { StoreNames } from "../store-backend.js";

/** Where a state is in git, as `git+refs://origin/avatarops/production` says it. */
export interface GitAddress {
  /** As written. */
  readonly location: string;
  /** The name of a remote of the project's repository. */
  readonly remote: string;
  /** The ref whose commits are the states: `refs/avatarops/production`. */
  readonly state: string;
  /** The ref that exists while somebody writes: `refs/avatarops-locks/production`. See git.ts. */
  readonly lock: string;
}

/**
 * Reads the URL of a state in git.
 *
 * @throws StateError `unknown-store`
 */
export function parseGitAddress(url: URL): GitAddress {
  const { username, password, port, search, hash } = url;
  const location = `${url.protocol}//${url.hostname}${url.pathname}`;
  const remote = decoded(url.hostname) || "origin";
  const folders = decoded(url.pathname).replace(/^\//, "").split("/");
  const name = folders.pop() ?? "";
  const folder = folders.join("/");
  const state = `refs/${folder}/${name}`;
  // An allow-list: hosts let forks write others, such as refs/pull/7/head, and branches of people are left alone.
  const isOurs = /^(?:heads\/)?avatarops(?:\/|$)/.test(folder) && !folder.endsWith("-locks");
  if (username || password || port || search || hash || !isRefName(remote) || !isRefName(state) || !isOurs)
    throw new StateError(
      "unknown-store",
      location,
      `\`state: ${location}\` does not name a remote of the project's repository and a ref for states, below avatarops/ or heads/avatarops/, and nothing more: write it as git+refs://origin/avatarops/production.`,
    );
  return { location, remote, state, lock: `refs/${folder}-locks/${name}` };
}

/** What messages call the parts of the store. */
export function gitStoreNames({ location, remote, state, lock }: GitAddress): StoreNames {
  return {
    state: location,
    journal: `the journal in ${lock} of ${remote}`,
    lock: `${lock} of ${remote}`,
    restore: `\`git fetch ${remote} ${state} && git log FETCH_HEAD\` names it, \`git push --force ${remote} COMMIT:${state}\` brings it back`,
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
