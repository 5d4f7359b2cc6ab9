import type { HostName, HostOptions } from "./host.js";

/** Creates URLs of a repository's pages. */
export function createHostLinks({
  name,
  webUrl,
  repository,
}: Pick<HostOptions, "name" | "webUrl" | "repository">) {
  const page = `${webUrl}/${repository}`;
  const { commit, file, asText } = forms[name];
  return {
    repository: page,
    commit: (id: string) => `${page}/${commit}/${id}`,
    /** Returns the URL of a line in a file at a commit. The path is relative to the repository. */
    file: (id: string, path: string, line: number) =>
      `${page}/${file}/${id}/${path.split("/").map(encodeURIComponent).join("/")}?${asText}#L${line}`,
  };
}

/** Parts of each host's URLs. Files are shown as source text, because lines of rendered Markdown cannot be linked. */
const forms: Readonly<Record<HostName, Readonly<Record<"commit" | "file" | "asText", string>>>> = {
  github: { commit: "commit", file: "blob", asText: "plain=1" },
  gitlab: { commit: "-/commit", file: "-/blob", asText: "plain=1" },
  gitea: { commit: "commit", file: "src/commit", asText: "display=source" },
};
