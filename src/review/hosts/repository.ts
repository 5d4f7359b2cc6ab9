import { HostSetupError } from "./errors.js";
import type { HostName, HostOptions } from "./host.js";

/** Which repository of which host. */
export type Address = Pick<
  HostOptions,
  "name" | "webUrl" | "apiUrl" | "repository" | "isJobToken" | "pipelineId"
>;

const known: Readonly<Record<string, HostName>> = {
  "github.com": "github",
  "gitlab.com": "gitlab",
  "gitea.com": "gitea",
  "codeberg.org": "gitea",
};

const addresses: Readonly<Record<HostName, string | undefined>> = {
  github: "https://github.com",
  gitlab: "https://gitlab.com",
  gitea: undefined,
};

/**
 * The repository that the options mean, else that of the CI; undefined if neither says.
 *
 * @throws HostSetupError
 */
export function findRepository(
  {
    host: name,
    repository,
  }: { readonly host?: HostName | undefined; readonly repository?: string | undefined },
  current: Address | undefined,
): Address | undefined {
  if (repository === undefined) {
    if (name === undefined || name === current?.name) return check(current);
    throw new HostSetupError(
      "no-host",
      `Name the repository on ${name}: --repo takes owner/name, or the address of its page.`,
    );
  }
  const isUrl = /^https?:\/\//.test(repository);
  const url = isUrl ? readUrl(repository) : undefined;
  const names = (url?.pathname ?? repository).split("/").filter((name) => name !== "");
  const path = names.join("/").replace(/\.git$/, "");
  const webUrl =
    url?.origin ?? (name === undefined || name === current?.name ? current?.webUrl : addresses[name]);
  if (webUrl === undefined)
    throw new HostSetupError(
      "no-host",
      `Say on which host ${repository} is: --repo takes the address of its page, such as https://git.example.com/${path}.`,
    );
  const isOfCi = webUrl === current?.webUrl;
  const found = name ?? (isOfCi ? current.name : known[new URL(webUrl).hostname]);
  if (found === undefined)
    throw new HostSetupError(
      "no-host",
      `Name the software that runs at ${webUrl}: --host github, gitlab or gitea.`,
    );
  const apiUrl = isOfCi && found === current.name ? current.apiUrl : defaultApiUrl(found, webUrl);
  const same = isOfCi && path === current.repository ? current : undefined;
  return check({ ...same, name: found, webUrl, apiUrl, repository: path });
}

function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.username !== "" || url.password !== "")
    throw new HostSetupError(
      "not-a-repository",
      "--repo is not the address of a repository's page: write it like https://git.example.com/team/avatars, without user name and token.",
    );
  return url;
}

/** Where the API of a host is, by default. */
export function defaultApiUrl(name: HostName, webUrl: string): string {
  if (name === "gitlab") return `${webUrl}/api/v4`;
  if (name === "gitea") return `${webUrl}/api/v1`;
  return webUrl === "https://github.com" ? "https://api.github.com" : `${webUrl}/api/v3`;
}

/** Names become parts of addresses. */
function check(address: Address | undefined): Address | undefined {
  if (!address) return undefined;
  const { name, webUrl, apiUrl, repository } = address;
  const form = name === "gitlab" ? /^[\w.-]+(\/[\w.-]+)+$/ : /^[\w.-]+\/[\w.-]+$/;
  if (!form.test(repository) || repository.split("/").some((part) => /^\.+$/.test(part)))
    throw new HostSetupError(
      "not-a-repository",
      `"${repository}" is not the name of a repository: write owner/name.`,
    );
  for (const url of [webUrl, apiUrl])
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      throw new HostSetupError("not-a-host", `"${url}" is not the address of a code host.`);
  return address;
}
