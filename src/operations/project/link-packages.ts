import { existsSync } from "node:fs";
import { symlink } from "node:fs/promises";
import path from "node:path";
import type { Repository } from "../../base/git/index.js";

/** Links a project's `node_modules` folders, up to the repository root, into another checkout of the repository. */
export async function linkPackages(
  { root: from, prefix }: Pick<Repository, "root" | "prefix">,
  root: string,
): Promise<void> {
  const parts = prefix.split("/").filter((part) => part !== "");
  for (let depth = 0; depth <= parts.length; depth++) {
    const folder = path.join(...parts.slice(0, depth), "node_modules");
    const [target, link] = [path.join(from, folder), path.join(root, folder)];
    if (existsSync(target) && !existsSync(link)) await symlink(target, link, "junction");
  }
}
