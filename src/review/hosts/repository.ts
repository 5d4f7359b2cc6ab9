import { HostSetupError } from "./errors.js";
import { type HostName, type HostOptions, hostNames } from "./host.js";
import { hostFacts } from "./host-facts.js";

export type RepositoryLocation = Pick<
  HostOptions,
  "name" | "webUrl" | "apiUrl" | "repository" | "isJobToken" | "pipelineId"
>;

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
      `The repository on ${name} is unknown. Set it with --repo, as owner/name or a URL.`,
    );
  }
  const isUrl = /^https?:\/\//.test(repository);
  const url = isUrl ? readUrl(repository) : undefined;
  const segments = (url?.pathname ?? repository).split("/").filter((segment) => segment !== "");
  const path = segments.join("/").replace(/\.git$/, "");
  const webUrl =
    url?.origin ??
    (name === undefined || name === current?.name ? current?.webUrl : hostFacts[name].publicUrl);
  if (webUrl === undefined)
    throw new HostSetupError(
      "no-host",
      `The host of ${repository} is unknown. Set --repo to a URL, such as https://git.example.com/${path}.`,
    );
  const isOnCiHost = webUrl === current?.webUrl;
  const hostName = name ?? (isOnCiHost ? current.name : findHostByDomain(new URL(webUrl).hostname));
  if (hostName === undefined)
    throw new HostSetupError(
      "no-host",
      `Cannot tell which software runs at ${webUrl}. Add --host ${hostNames.slice(0, -1).join(", ")} or ${hostNames.at(-1)}.`,
    );
  const apiUrl =
    isOnCiHost && hostName === current.name ? current.apiUrl : hostFacts[hostName].toApiUrl(webUrl);
  const ciFacts = isOnCiHost && path === current.repository ? current : undefined;
  return validateLocation({ ...ciFacts, name: hostName, webUrl, apiUrl, repository: path });
}

function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.username !== "" || url.password !== "")
    throw new HostSetupError(
      "not-a-repository",
      "--repo is not a repository URL. Use a URL such as https://git.example.com/team/avatars, without a user name or token.",
    );
  return url;
}

function findHostByDomain(domain: string): HostName | undefined {
  return hostNames.find((name) => hostFacts[name].domains.includes(domain));
}

/** Rejects names that would change the meaning of a URL. */
function validateLocation(location: RepositoryLocation): RepositoryLocation {
  const { name, webUrl, apiUrl, repository } = location;
  const { repositoryForm: form = /^[\w.-]+\/[\w.-]+$/ } = hostFacts[name];
  if (!form.test(repository) || repository.split("/").some((part) => /^\.+$/.test(part)))
    throw new HostSetupError(
      "not-a-repository",
      `"${repository}" is not a repository name. Write owner/name.`,
    );
  for (const url of [webUrl, apiUrl])
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      throw new HostSetupError(
        "not-a-host",
        `"${url}" is not the URL of a code host. It must start with https:// or http://.`,
      );
  return location;
}
