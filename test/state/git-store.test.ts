import { writeFile } from "node:fs/promises";
import path from "node:path";
import { environmentOf, git } from "../git/repositories.js";
import { describeStore, type Place } from "./compliance.js";
import { location, lockRef, newClone, newRemote, stateRef } from "./git-servers.js";

async function newPlace(): Promise<Place> {
  const remote = newRemote();
  const root = newClone(remote.url);
  const other = newClone(remote.url);
  return {
    location,
    direct: location,
    environment: { root, environment: environmentOf(root) },
    removeLock: async () => void git(remote.folder, "update-ref", "-d", lockRef),
    async overwriteState(text) {
      await writeFile(path.join(other, "state.json"), text);
      git(other, "add", "state.json");
      git(other, "commit", "--quiet", "--message=by hand");
      git(other, "push", "--quiet", "--force", "origin", `HEAD:${stateRef}`);
    },
  };
}

describeStore("in a bare repository over file://", newPlace, { rivals: 5 });
