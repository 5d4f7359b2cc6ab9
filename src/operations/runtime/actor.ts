import { cutText } from "../../base/text/index.js";
import type { Actor } from "../../core/state/index.js";
import { getGitSettingsCache, type OperationHost, type Runtime } from "./runtime.js";

type EnvironmentVariables = OperationHost["environment"];

/**
 * A CI system: its name, the variable that marks its jobs, and the variables that name the user who started the job, in
 * order of preference.
 */
type CiSystem = readonly [name: string, mark: string, users: readonly string[], findRun: FindRun];

/** Finds the job's URL. */
type FindRun = (variables: EnvironmentVariables) => string | undefined;

/** Gitea and Forgejo number runs per repository. GitHub has global ids. */
const findActionsRun =
  (number: "GITHUB_RUN_ID" | "GITHUB_RUN_NUMBER", query = ""): FindRun =>
  ({ GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, [number]: run }) =>
    server && repository && run ? `${server}/${repository}/actions/runs/${run}${query}` : undefined;

const findAzureRun: FindRun = ({
  SYSTEM_COLLECTIONURI: server,
  SYSTEM_TEAMPROJECT: project,
  BUILD_BUILDID: build,
}) =>
  server && project && build
    ? `${server}${encodeURIComponent(project)}/_build/results?buildId=${build}`
    : undefined;

const actionsUsers = ["GITHUB_TRIGGERING_ACTOR", "GITHUB_ACTOR"];

/** CI systems by precedence. Gitea and Forgejo come first because they also set GitHub's variable. */
const ciSystems: readonly CiSystem[] = [
  ["Forgejo Actions", "FORGEJO_ACTIONS", actionsUsers, findActionsRun("GITHUB_RUN_NUMBER")],
  // Gitea 1.26 reads the number as an id unless the query is set. Earlier versions ignore the query.
  ["Gitea Actions", "GITEA_ACTIONS", actionsUsers, findActionsRun("GITHUB_RUN_NUMBER", "?by_index=1")],
  ["GitHub Actions", "GITHUB_ACTIONS", actionsUsers, findActionsRun("GITHUB_RUN_ID")],
  ["GitLab CI/CD", "GITLAB_CI", ["GITLAB_USER_LOGIN"], (set) => set.CI_JOB_URL || set.CI_PIPELINE_URL],
  ["Azure Pipelines", "TF_BUILD", ["BUILD_REQUESTEDFOR"], findAzureRun],
  ["Buildkite", "BUILDKITE", ["BUILDKITE_BUILD_CREATOR"], (set) => set.BUILDKITE_BUILD_URL],
  ["CircleCI", "CIRCLECI", ["CIRCLE_USERNAME"], (set) => set.CIRCLE_BUILD_URL],
  ["Jenkins", "JENKINS_URL", ["BUILD_USER_ID", "BUILD_USER"], (set) => set.BUILD_URL],
  ["Atlantis", "ATLANTIS_TERRAFORM_VERSION", ["USER_NAME"], (set) => set.PULL_URL],
  ["CI", "CI", [], (set) => set.BUILD_URL || set.CI_JOB_URL],
];

/** Returns whether the command runs in a CI job. */
export function isInCi({ environment }: Pick<OperationHost, "environment">): boolean {
  return findCi(environment) !== undefined;
}

function findCi(environment: EnvironmentVariables): CiSystem | undefined {
  const isSet = (name: string) => !["", "0", "false"].includes((environment[name] ?? "").toLowerCase());
  return ciSystems.find(([, mark]) => isSet(mark));
}

const checkoutSetting = "Set `fetch-depth: 0` in the actions/checkout step.";

const fetchSettings: Readonly<Record<string, string>> = {
  ...{ FORGEJO_ACTIONS: checkoutSetting, GITEA_ACTIONS: checkoutSetting, GITHUB_ACTIONS: checkoutSetting },
  GITLAB_CI: 'Set `GIT_DEPTH: "0"` in the job `variables`.',
  TF_BUILD: "Set `fetchDepth: 0` in the `checkout` step.",
};

/** Returns a sentence that explains how to fetch the whole history in a CI job. */
export function describeFullFetch({ environment }: Pick<OperationHost, "environment">): string {
  const [, mark = ""] = findCi(environment) ?? [];
  return fetchSettings[mark] ?? "Run `git fetch --unshallow` first.";
}

/** Reads who runs the command in a folder, for records. Loads the git module on demand. */
export async function readActor(runtime: Pick<Runtime, "host" | "opened">, folder: string): Promise<Actor> {
  const { host } = runtime;
  const by = host.outside?.facts?.by;
  if (by) return by;
  const { readGitUser } = await import("../../core/history/index.js");
  const git = { environment: host.environment, timeoutMs: 10_000 };
  return findActor(host, await readGitUser(folder, git, getGitSettingsCache(runtime)));
}

/** Returns the user, the machine and the CI job of the run, from the CI system, git or the machine (unverified). */
export function findActor(
  host: Pick<OperationHost, "environment" | "hostname" | "username">,
  gitUser?: string,
): Actor {
  const { environment, hostname } = host;
  const [ci, , ciUsers = [], findRun] = findCi(environment) ?? [];
  const readVariables = (names: readonly string[]) => names.map((name) => environment[name]);
  const users = [...readVariables(ciUsers), gitUser, ...readVariables(["USER", "LOGNAME", "USERNAME"])];
  const named = users.map(toUserName).find((name) => name !== undefined);
  const user = named ?? (ci ? undefined : readMachineUser(host));
  const run = toWebUrl(findRun?.(environment));
  return {
    ...(user === undefined ? {} : { user }),
    host: shortenText(hostname),
    ...(ci ? { ci } : {}),
    ...(run === undefined ? {} : { run }),
  };
}

function readMachineUser({ username }: Pick<OperationHost, "username">): string | undefined {
  try {
    return toUserName(username?.());
  } catch {
    return undefined; // The user may have no name, as in some containers.
  }
}

const maxTextLength = 200;

/** Returns a name, or the part of an email address before the @. */
function toUserName(text: string | undefined): string | undefined {
  const name = (text ?? "")
    .replace(/<[^<>]*>/g, " ")
    .replace(/(\S)@\S*/g, "$1")
    .replace(/\s+/g, " ")
    .trim();
  return name === "" ? undefined : shortenText(name);
}

/** Numeric query parameters that belong to a run URL. */
const pageParameters = ["buildId", "by_index"];

/** Returns an HTTP URL without parts that may contain credentials. */
function toWebUrl(text: string | undefined): string | undefined {
  if (!text || !URL.canParse(text)) return undefined;
  const { protocol, origin, pathname, searchParams } = new URL(text);
  if (protocol !== "https:" && protocol !== "http:") return undefined;
  const query = pageParameters.flatMap((name) => {
    const value = searchParams.get(name) ?? "";
    return /^\d+$/.test(value) ? [`${name}=${value}`] : [];
  });
  return shortenText(`${origin}${pathname}${query.length > 0 ? `?${query.join("&")}` : ""}`);
}

function shortenText(text: string): string {
  return text.length > maxTextLength ? `${cutText(text, maxTextLength - 1)}…` : text;
}
