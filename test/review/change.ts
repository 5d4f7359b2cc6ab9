/** A pull request's change in a repository, and the jobs of its review and its apply. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { newFolder, type Project, startProject } from "../cli/hosting.js";
import { type Person, type StandIn, type StandInName, startStandIn } from "./stand-in.js";

const files = { "avatarops.yaml": "contexts: { desk: { name: Desk, prompt: Be kind. } }\n" };

export interface Change extends StandIn {
  readonly project: Project;
  readonly standIn: StandIn;
  /** The commit that was made last: the head of pull request 7. */
  readonly sha: string;
  git(...argv: string[]): string;
  /** Commits what is in the folder, and answers with the id. */
  commit(): string;
  /** In a job of pull request 7. */
  review(more?: Readonly<Record<string, string>>, ...argv: string[]): ReturnType<Project["avatarops"]>;
  /** In a job of the push after the merge: `apply --reviewed`. */
  apply(more?: Readonly<Record<string, string>>, ...argv: string[]): ReturnType<Project["avatarops"]>;
}

export async function startChange(
  name: StandInName,
  given: Readonly<Record<string, string>> = files,
): Promise<Change> {
  const standIn = await startStandIn(name, { isJobToken: name === "gitea" });
  const project = await startProject({ files: given });
  const git = (...argv: string[]) =>
    execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@example.com", ...argv], {
      ...{ cwd: project.folder, encoding: "utf8" },
    }).trim();
  let sha = "";
  const commit = () => {
    git("add", "--all");
    git("commit", "--quiet", "--allow-empty", "--message=change");
    sha = git("rev-parse", "HEAD");
    Object.assign(standIn.world.pulls[0] ?? {}, { commit: sha, open: true, merged: undefined });
    return sha;
  };
  git("init", "--quiet");
  commit();
  const { webUrl, apiUrl, repository, token } = standIn.options;
  const folder = await newFolder();
  const event = (facts: object, file: string) => {
    writeFileSync(path.join(folder, file), JSON.stringify(facts));
    return path.join(folder, file);
  };
  const common = () =>
    name === "gitlab"
      ? {
          ...{ GITLAB_CI: "true", CI_SERVER_URL: webUrl, CI_API_V4_URL: apiUrl, CI_COMMIT_SHA: sha },
          ...{ CI_PROJECT_PATH: repository, GITLAB_TOKEN: token.reveal() },
        }
      : {
          ...{ GITHUB_ACTIONS: "true", GITHUB_SERVER_URL: webUrl, GITHUB_API_URL: apiUrl, GITHUB_SHA: sha },
          ...{ GITHUB_REPOSITORY: repository, GITHUB_TOKEN: token.reveal() },
          ...(name === "gitea" ? { GITEA_ACTIONS: "true" } : {}),
        };
  const ofPull = (): Readonly<Record<string, string>> => {
    if (name === "gitlab")
      return {
        CI_MERGE_REQUEST_IID: "7",
        CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "1",
        CI_MERGE_REQUEST_PROJECT_ID: "1",
      };
    const side = { sha, repo: { full_name: repository } };
    return { GITHUB_EVENT_PATH: event({ pull_request: { number: 7, head: side, base: side } }, "pull.json") };
  };
  const ofPush = (): Readonly<Record<string, string>> =>
    name === "gitlab" ? {} : { GITHUB_EVENT_PATH: event({ after: sha }, "push.json") };
  const run =
    (job: () => Readonly<Record<string, string>>, ...command: string[]) =>
    (more: Readonly<Record<string, string>> = {}, ...argv: string[]) =>
      project.avataropsWith({ environment: { ...common(), ...job(), ...more } }, ...command, ...argv);
  return {
    ...{ ...standIn, standIn, project, git, commit },
    get sha() {
      return sha;
    },
    review: run(ofPull, "review"),
    apply: run(ofPush, "apply", "--reviewed"),
  };
}

export const ada: Person = { id: 8, login: "ada" };

/** The pull request is merged; `sha` is what is checked out after it. */
export const merge = ({ world, sha }: Change) =>
  Object.assign(world.pulls[0] ?? {}, { open: false, merged: sha });
export const prompts = ({ project }: Change) => project.emulator.world.contexts.map(({ prompt }) => prompt);
