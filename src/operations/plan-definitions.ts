import path from "node:path";
import { readRegular } from "../base/files/index.js";
import type { PlanDefinitions } from "../core/engine/index.js";
import { digestValue, withLineFeeds } from "../core/kinds/index.js";
import type { Project } from "./project.js";
import type { Runtime } from "./runtime.js";

/** What a saved plan was made of: the commit, if git can tell, and the text of every file. */
export async function planDefinitions({ host }: Runtime, project: Project): Promise<PlanDefinitions> {
  const { readDefinitions } = await import("../core/history/index.js");
  const { untrusted } = project;
  const checkout = untrusted ? undefined : await readDefinitions(project, { environment: host.environment });
  return {
    ...(checkout ? { commit: checkout.commit } : {}),
    ...(checkout?.modified ? { modified: true } : {}),
    ...(untrusted ? { commit: untrusted.head } : {}),
    files: untrusted?.digests ?? (await digestFiles(project)),
  };
}

async function digestFiles({ root, files }: Project): Promise<Readonly<Record<string, string>>> {
  const digests = files.map(async (file) => {
    const bytes = await readRegular(path.join(root, file));
    return [file, digestText(bytes.toString("utf8"))] as const;
  });
  return Object.fromEntries(await Promise.all(digests));
}

/** The digest of a file's text; line ends do not count, as everywhere. */
export function digestText(text: string): string {
  return digestValue(withLineFeeds(text));
}
