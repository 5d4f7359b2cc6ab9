import { HostSetupError } from "./errors.js";
import type { HostName, HostOptions } from "./host.js";

/** Location of a repository on a code host. */
export type RepositoryLocation = Pick<
  HostOptions,
  "name" | "webUrl" | "apiUrl" | "repository" | "isJobToken" | "pipelineId"
>;

const hostByDomain: Readonly<Record<string, HostName>> = {
  "github.com": "github",
  "gitlab.com": "gitlab",
  "gitea.com": "gitea",
  "codeberg.org": "gitea",
};

const publicUrls: Readonly<Record<HostName, string | undefined>> = {
  github: "https://github.com",
  gitlab: "https://gitlab.com",
  gitea: undefined,
};

/**
 * Returns the repository from the options, or else from CI. Returns undefined if neither names a repository.
 *
 * @throws HostSetupError
 */
export function findRepository(
  {
    host: name,
    repository,
  }: { readonly host?: HostName | undefined; readonly repository?: string | undefined },
  current: RepositoryLocation | undefined,
): RepositoryLocation | undefined {
  if (repository === undefined) {
    if (name === undefined || name === current?.name) return current && validateLocation(current);
    throw new HostSetupError(
      "no-host",
      `Name the repository on ${name} with --repo, as owner/name or the URL of its page.`,
    );
  }
  const isUrl = /^https?:\/\//.test(repository);
  const url = isUrl ? readUrl(repository) : undefined;
  const segments = (url?.pathname ?? repository).split("/").filter((segment) => segment !== "");
  const path = segments.join("/").replace(/\.git$/, "");
  const webUrl =
    url?.origin ?? (name === undefined || name === current?.name ? current?.webUrl : publicUrls[name]);
  if (webUrl === undefined)
    throw new HostSetupError(
      "no-host",
      `Cannot tell which host ${repository} is on. Give --repo the URL of its page, such as https://git.example.com/${path}.`,
    );
  const isOnCiHost = webUrl === current?.webUrl;
  const hostName = name ?? (isOnCiHost ? current.name : hostByDomain[new URL(webUrl).hostname]);
  if (hostName === undefined)
    throw new HostSetupError(
      "no-host",
      `Cannot tell which software runs at ${webUrl}. Add --host github, gitlab or gitea.`,
    );
  const apiUrl = isOnCiHost && hostName === current.name ? current.apiUrl : defaultApiUrl(hostName, webUrl);
  const ciFacts = isOnCiHost && path === current.repository ? current : undefined;
  return validateLocation({ ...ciFacts, name: hostName, webUrl, apiUrl, repository: path });
}

function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.username !== "" || url.password !== "")
    throw new HostSetupError(
      "not-a-repository",
      "--repo is not the URL of a repository's page. Write it like https://git.example.com/team/avatars, without user name and token.",
    );
  return url;
}

/** Returns the default URL of a host's API. */
export function defaultApiUrl(name: HostName, webUrl: string): string {
  if (name === "gitlab") return `${webUrl}/api/v4`;
  if (name === "gitea") return `${webUrl}/api/v1`;
  return webUrl === "https://github.com" ? "https://api.github.com" : `${webUrl}/api/v3`;
}

/** Rejects names that would change the meaning of a URL. */
function validateLocation(location: RepositoryLocation): RepositoryLocation {
  const { name, webUrl, apiUrl, repository } = location;
  const form = name === "gitlab" ? /^[\w.-]+(\/[\w.-]+)+$/ : /^[\w.-]+\/[\w.-]+$/;
  if (!form.test(repository) || repository.split("/").some((part) => /^\.+$/.test(part)))
    throw new HostSetupError(
      "not-a-repository",
      `"${repository}" is not a repository name: write owner/name.`,
    );
  for (const url of [webUrl, apiUrl])
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      throw new HostSetupError(
        "not-a-host",
        `"${url}" is not the URL of a code host. It must start with https:// or http://.`,
      );
  return location;
}
