import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "./building.js";
import { describeStore, type StoreFixture } from "./compliance.js";

async function newFixture(): Promise<StoreFixture> {
  const folder = await makeFolder();
  const file = join(folder, ".avatarops/state.json");
  return {
    location: file,
    direct: file,
    environment: { root: folder },
    removeLock: () => rm(`${file}.lock`),
    overwriteState: (text) => writeFile(file, text),
  };
}

describeStore("in a file", newFixture);
