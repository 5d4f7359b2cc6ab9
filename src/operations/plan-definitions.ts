import type { PlanDefinitions } from "../core/engine/index.js";
import { digestFiles } from "./digest-files.js";
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
    files: untrusted?.digests ?? (await digestFiles(project.root, project.files)),
  };
}
