import type { Actor } from "../core/state/index.js";
import type { OperationHost } from "./runtime.js";

type Variables = OperationHost["environment"];

/** A CI system, by the variables that it sets. */
interface CiSystem {
  readonly name: string;
  /** Set in its jobs. */
  readonly mark: string;
  /** Who started the run: the first that is set. */
  readonly users: readonly string[];
  /** The page of the run. */
  readonly run: (variables: Variables) => string | undefined;
}

/** Gitea and Forgejo number the runs of a repository; GitHub's ids are its own. */
const actionsRun =
  (number: "GITHUB_RUN_ID" | "GITHUB_RUN_NUMBER") =>
  ({ GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, [number]: run }: Variables) =>
    server && repository && run ? `${server}/${repository}/actions/runs/${run}` : undefined;

const actionsUsers = ["GITHUB_TRIGGERING_ACTOR", "GITHUB_ACTOR"];

/** The first whose mark is set. Gitea and Forgejo set GitHub's variables too, so they come first. */
const ciSystems: readonly CiSystem[] = [
  {
    ...{ name: "Forgejo Actions", mark: "FORGEJO_ACTIONS", users: actionsUsers },
    run: actionsRun("GITHUB_RUN_NUMBER"),
  },
  {
    ...{ name: "Gitea Actions", mark: "GITEA_ACTIONS", users: actionsUsers },
    run: actionsRun("GITHUB_RUN_NUMBER"),
  },
  {
    ...{ name: "GitHub Actions", mark: "GITHUB_ACTIONS", users: actionsUsers },
    run: actionsRun("GITHUB_RUN_ID"),
  },
  {
    ...{ name: "GitLab CI/CD", mark: "GITLAB_CI", users: ["GITLAB_USER_LOGIN"] },
    run: ({ CI_JOB_URL: job, CI_PIPELINE_URL: pipeline }) => job || pipeline,
  },
  {
    ...{ name: "Azure Pipelines", mark: "TF_BUILD", users: ["BUILD_REQUESTEDFOR"] },
    run: ({ SYSTEM_COLLECTIONURI: server, SYSTEM_TEAMPROJECT: project, BUILD_BUILDID: build }) =>
      server && project && build
        ? `${server}${encodeURIComponent(project)}/_build/results?buildId=${build}`
        : undefined,
  },
  {
    ...{ name: "Buildkite", mark: "BUILDKITE", users: ["BUILDKITE_BUILD_CREATOR"] },
    run: ({ BUILDKITE_BUILD_URL: build }) => build,
  },
  {
    ...{ name: "CircleCI", mark: "CIRCLECI", users: ["CIRCLE_USERNAME"] },
    run: ({ CIRCLE_BUILD_URL: build }) => build,
  },
  {
    ...{ name: "Jenkins", mark: "JENKINS_URL", users: ["BUILD_USER_ID", "BUILD_USER"] },
    run: ({ BUILD_URL: build }) => build,
  },
  {
    ...{ name: "Atlantis", mark: "ATLANTIS_TERRAFORM_VERSION", users: ["USER_NAME"] },
    run: ({ PULL_URL: pull }) => pull,
  },
  {
    ...{ name: "CI", mark: "CI", users: [] },
    run: ({ BUILD_URL: build, CI_JOB_URL: job }) => build || job,
  },
];

/** Who runs the command in a folder, for records. Loads git's part. */
export async function readActor(folder: string, host: OperationHost): Promise<Actor> {
  const { readGitUser } = await import("../core/history/index.js");
  return actorFrom(host, await readGitUser(folder, { environment: host.environment, timeoutMs: 10_000 }));
}

/** Who runs the command, and where, from what the CI system, git or the machine says. Nobody checks it. */
export function actorFrom(
  { environment, hostname }: Pick<OperationHost, "environment" | "hostname">,
  gitUser?: string,
): Actor {
  const isSet = (name: string) => !["", "0", "false"].includes((environment[name] ?? "").toLowerCase());
  const ci = ciSystems.find(({ mark }) => isSet(mark));
  const values = (names: readonly string[]) => names.map((name) => environment[name]);
  const users = [...values(ci?.users ?? []), gitUser, ...values(["USER", "LOGNAME", "USERNAME"])];
  const user = users.map(userName).find((name) => name !== undefined);
  const run = webAddress(ci?.run(environment));
  return {
    ...(user === undefined ? {} : { user }),
    host: shortened(hostname),
    ...(ci ? { ci: ci.name } : {}),
    ...(run === undefined ? {} : { run }),
  };
}

const longest = 200;

/** A name; of an email address, only the part before the @. */
function userName(text: string | undefined): string | undefined {
  const name = (text ?? "")
    .replace(/<[^<>]*>/g, " ")
    .replace(/(\S)@\S*/g, "$1")
    .replace(/\s+/g, " ")
    .trim();
  return name === "" ? undefined : shortened(name);
}

/** An address of the web, without what may hold a credential. */
function webAddress(text: string | undefined): string | undefined {
  if (!text || !URL.canParse(text)) return undefined;
  const { protocol, origin, pathname, searchParams } = new URL(text);
  if (protocol !== "https:" && protocol !== "http:") return undefined;
  const build = searchParams.get("buildId");
  const query = build !== null && /^\d+$/.test(build) ? `?buildId=${build}` : "";
  return shortened(`${origin}${pathname}${query}`);
}

function shortened(text: string): string {
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}
