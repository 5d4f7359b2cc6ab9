import type { HostOptions } from "./host.js";
import { hostFacts } from "./host-facts.js";

/** Creates URLs for a repository's pages. */
export function createHostLinks({
  name,
  webUrl,
  repository,
}: Pick<HostOptions, "name" | "webUrl" | "repository">) {
  const page = `${webUrl}/${repository}`;
  const { toCommitPath, toLinePath } = hostFacts[name];
  return {
    repository: page,
    commit: (id: string) => `${page}/${toCommitPath(id)}`,
    /** Returns the URL of a line in a file at a commit. The path is relative to the repository. */
    file: (commit: string, path: string, line: number) =>
      `${page}/${toLinePath({ commit, path: path.split("/").map(encodeURIComponent).join("/"), line })}`,
  };
}
