import { isGlob, type MatchBudget } from "../tree/glob.js";
import { findMatches } from "../tree/matching.js";
import type { Node } from "../tree/node.js";
import type { Reading } from "../tree/reading.js";

/** Allows the files that `allow_files` of the main file lists: paths and patterns, relative to the project folder. */
export async function allowFiles(
  list: Node | undefined,
  reading: Reading & { readonly steps: MatchBudget },
): Promise<void> {
  const { files, collector } = reading;
  if (!list || list.broken) return;
  for (const item of list.is === "list" ? list.items : [list]) {
    if (list.is !== "list" || item.is !== "scalar" || typeof item.value !== "string" || item.tag) {
      const hint = "allow_files: [.env.example]";
      if (!item.broken)
        collector.error("wrong-type", "allow_files must be a list of files or patterns", item, hint);
      continue;
    }
    const inProject = files.resolve(item.value, item);
    if (inProject === undefined) continue;
    // A pattern may also be a file name: `[id].env`.
    files.allowed.add(inProject);
    if (!isGlob(inProject)) continue;
    const found = await findMatches(inProject, item, reading, { dot: true });
    for (const file of found) files.allowed.add(file);
  }
}
