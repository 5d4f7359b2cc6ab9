import { glob, isDynamicPattern } from "tinyglobby";
import type { Node } from "./node.js";
import type { Reading } from "./source-tag.js";

/*
 * Files that by their names hold keys. What is read as a prompt or included is shown: in plans, in comments on pull
 * requests, to who talks with the avatar. `prompt: !file .git/config` would publish the token of the checkout. The value of
 * a secret may come from such a file, since it is never shown.
 */

/** Names of files and folders, in lower case, wherever they stand in a path. */
const privateName =
  /^(?:\.git|\.git-credentials|\.env.*|\.npmrc|\.pypirc|[._]netrc|\.avatarops|\.aws|\.docker|\.kube|\.gnupg|\.ssh|id_.*|.*\.(?:pem|key|p12|pfx))$/;

/** Whether a file, given relative to the project folder, holds keys by its name or that of a folder it is in. */
export function isPrivate(file: string): boolean {
  // Some file systems take no notice of case, and Windows none of dots and blanks at the end.
  return file.split("/").some((name) => privateName.test(name.toLowerCase().replace(/(?<![. ])[. ]+$/, "")));
}

/** Allows the files that `allow_files` of the main file lists: paths and patterns, relative to the project folder. */
export async function allowFiles(list: Node | undefined, { files, findings }: Reading): Promise<void> {
  if (!list || list.broken) return;
  for (const item of list.is === "list" ? list.items : [list]) {
    if (list.is !== "list" || item.is !== "scalar" || typeof item.value !== "string" || item.tag) {
      const hint = "allow_files: [.env.example]";
      if (!item.broken)
        findings.error("wrong-type", "allow_files must be a list of files or patterns", item, hint);
      continue;
    }
    const inProject = files.resolve(item.value, item);
    if (inProject === undefined) continue;
    // Also a pattern may be the name of a file: `[id].env`.
    files.allowed.add(inProject);
    if (!isDynamicPattern(inProject)) continue;
    const cwd = files.root;
    const found = await glob(inProject, { cwd, dot: true, onlyFiles: true, expandDirectories: false });
    for (const file of found) files.allowed.add(file);
  }
}
