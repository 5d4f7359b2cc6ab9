import type { HostOptions } from "./host.js";
import { hostFacts } from "./host-facts.js";

/** Creates URLs of a repository's pages. */
export function createHostLinks({
  name,
  webUrl,
  repository,
}: Pick<HostOptions, "name" | "webUrl" | "repository">) {
  const page = `${webUrl}/${repository}`;
  const { commit, file, asText } = hostFacts[name].pages;
  return {
    repository: page,
    commit: (id: string) => `${page}/${commit}/${id}`,
    /** Returns the URL of a line in a file at a commit. The path is relative to the repository. */
    file: (id: string, path: string, line: number) =>
      `${page}/${file}/${id}/${path.split("/").map(encodeURIComponent).join("/")}?${asText}#L${line}`,
  };
}
