// @module-tag night
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { onTestFinished } from "vitest";
import { createGitEnvironment, git } from "../git/repositories.js";
import { describeStore, type StoreFixture } from "./compliance.js";
import { startFaultProxy } from "./fault-proxy.js";
import { location, lockRef, newClone, newRemote, startHttpBackend, stateRef } from "./git-servers.js";

async function newFixture(): Promise<StoreFixture> {
  const remote = newRemote();
  const root = newClone(remote.url);
  const other = newClone(remote.url);
  const faults = await startFaultProxy((await startHttpBackend(remote)).port);
  onTestFinished(() => faults.close());
  git(root, "remote", "add", "afar", `http://127.0.0.1:${faults.port}/`);
  return {
    location: location.replace("origin", "afar"),
    direct: location,
    faults,
    environment: { root, environment: createGitEnvironment(root) },
    removeLock: async () => void git(remote.folder, "update-ref", "-d", lockRef),
    async overwriteState(text) {
      await writeFile(path.join(other, "state.json"), text);
      git(other, "add", "state.json");
      git(other, "commit", "--quiet", "--message=by hand");
      git(other, "push", "--quiet", "--force", "origin", `HEAD:${stateRef}`);
    },
  };
}

describeStore("in a bare repository over file:// and HTTP", newFixture, {
  ...{ passing: 14, fencesHolders: true },
});
