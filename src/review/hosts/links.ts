import type { HostLinks, HostName, HostOptions } from "./host.js";

type Address = Pick<HostOptions, "name" | "webUrl" | "repository">;

/** Addresses of a repository's pages. */
export function hostLinks({ name, webUrl, repository }: Address): HostLinks {
  const page = `${webUrl}/${repository}`;
  const { commit, file, range } = forms[name];
  return {
    repository: page,
    commit: (id) => `${page}/${commit}/${id}`,
    file(id, path, line, lastLine = line) {
      const lines =
        line === undefined ? "" : line === lastLine ? `#L${line}` : `#L${line}-${range}${lastLine}`;
      const names = path.split("/").map(encodeURIComponent).join("/");
      const [folder, asText] = file;
      return `${page}/${folder}/${id}/${names}?${asText}${lines}`;
    },
  };
}

/** Files are shown as text: of rendered Markdown, no line can be linked. */
const forms: Readonly<
  Record<
    HostName,
    { readonly commit: string; readonly file: readonly [string, string]; readonly range: string }
  >
> = {
  github: { commit: "commit", file: ["blob", "plain=1"], range: "L" },
  gitlab: { commit: "-/commit", file: ["-/blob", "plain=1"], range: "" },
  gitea: { commit: "commit", file: ["src/commit", "display=source"], range: "L" },
};
