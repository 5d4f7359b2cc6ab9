import { onTestFinished } from "vitest";
import { parseJson } from "../../src/base/text/index.js";
import { createGitEnvironment, git, newFolder, write } from "../git/repositories.js";
import { location as gitLocation, lockRef, newClone, newRemote, stateRef } from "../state/git-servers.js";
import { credentials, gitlabPath, startHttpBackend } from "./http-backend.js";

/** Content that an attacker stores instead of a state. */
export interface Planted {
  readonly state?: string;
  readonly journal?: string;
  /** Lock holder as JSON. */
  readonly lock?: string;
  /** Records, newest first. */
  readonly records?: readonly string[];
}

/** Store of a project's state on a server that others can write to. */
export interface ServerStore {
  readonly location: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Prepares the project folder for the store. */
  prepare(folder: string): void;
  /** Replaces all stored content. */
  plant(texts: Planted): Promise<void>;
}

/**
 * Opens a store for one test, in git or over HTTP. S3 and PostgreSQL are omitted, because they read with
 * the same code as the git store.
 */
export const serverStores: readonly (readonly [name: string, open: () => Promise<ServerStore>])[] = [
  ["git", async () => openGit()],
  ["HTTP", openHttp],
];

function openGit(): ServerStore {
  const remote = newRemote();
  const clone = newClone(remote.url);
  return {
    location: gitLocation,
    environment: createGitEnvironment(newFolder()),
    prepare(folder) {
      git(folder, "init", "--quiet");
      git(folder, "remote", "add", "origin", remote.url);
    },
    async plant({ state, journal, lock, records = [] }) {
      const commit = (files: Readonly<Record<string, string | undefined>>, parent?: string) => {
        git(clone, "read-tree", "--empty");
        for (const [file, text] of Object.entries(files)) {
          if (text === undefined) continue;
          write(clone, file, text);
          git(clone, "add", "--force", "--", file);
        }
        const parents = parent === undefined ? [] : ["-p", parent];
        return git(clone, "commit-tree", ...parents, "-m", "planted", git(clone, "write-tree"));
      };
      let newest: string | undefined;
      for (const record of [...records].reverse())
        newest = commit({ "state.json": state, "apply.json": record }, newest);
      if (records.length === 0 && state !== undefined) newest = commit({ "state.json": state });
      const held =
        lock === undefined && journal === undefined
          ? undefined
          : commit({ "lock/0000000000": formatLock(lock, journal) });
      const specs = [`+${newest ?? ""}:${stateRef}`, `+${held ?? ""}:${lockRef}`];
      for (const spec of specs) {
        const isThere = !spec.startsWith("+:");
        if (isThere || git(clone, "ls-remote", "origin", spec.slice(2)) !== "")
          git(clone, "push", "--quiet", "origin", isThere ? spec : spec.slice(1));
      }
    },
  };
}

async function openHttp(): Promise<ServerStore> {
  const backend = await startHttpBackend("gitlab");
  onTestFinished(() => backend.close());
  const path = `${gitlabPath}/planted`;
  return {
    location: `http://127.0.0.1:${backend.port}${path}`,
    environment: credentials,
    prepare() {},
    async plant({ state, journal, lock, records = [] }) {
      const holder = parseJson(lock ?? "") as {
        id?: string;
        command?: string;
        host?: string;
        since?: string;
      };
      const history = [...records].reverse();
      const document = { avatarops: 1, serial: 1, lineage: "l", write: "theirs", state, journal, history };
      backend.states.set(path, {
        text: JSON.stringify(document),
        serials: new Set(),
        ...(lock === undefined
          ? {}
          : {
              lock: {
                ID: holder?.id ?? lock,
                Who: holder?.host,
                Operation: holder?.command,
                Created: holder?.since,
              },
            }),
      });
    },
  };
}

/** Returns the lock holder followed by the journal. */
function formatLock(lock = '{"released":"x"}', journal = ""): string {
  return `${lock}\n${journal}`;
}
