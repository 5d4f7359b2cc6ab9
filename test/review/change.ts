/** Sets up a pull request in a repository, with the jobs that review and apply it. */
import { type Project, startProject } from "../cli/hosting.js";
import { commitAll, git as gitIn } from "../git/repositories.js";
import { createCiVariables, createPullVariables, createPushVariables, type Variables } from "./job.js";
import { type Person, type StandIn, type StandInName, startStandIn } from "./stand-in.js";

export interface Change extends StandIn {
  readonly project: Project;
  readonly standIn: StandIn;
  /** Last commit, which is the head of pull request 7. */
  readonly sha: string;
  git(...argv: string[]): string;
  /** Commits all files in the folder and returns the commit id. */
  commit(): string;
  /** Runs `review` in a job of pull request 7. */
  review(more?: Variables, ...argv: string[]): ReturnType<Project["avatarops"]>;
  /** Runs `apply --reviewed` in the push job after the merge. */
  apply(more?: Variables, ...argv: string[]): ReturnType<Project["avatarops"]>;
}

export async function startChange(
  name: StandInName,
  given: Readonly<Record<string, string>> = createDeskFiles("Be kind."),
  environment: Variables = {},
): Promise<Change> {
  const standIn = await startStandIn(name, { isJobToken: name === "gitea" });
  const project = await startProject({ files: given, environment });
  const git = (...argv: string[]) => gitIn(project.folder, ...argv);
  const [pull] = standIn.world.pulls;
  if (!pull) throw new Error("Bug: the host has no pull request");
  let sha = "";
  const commit = () => {
    sha = commitAll(project.folder);
    Object.assign(pull, { commit: sha, open: true, merged: undefined });
    return sha;
  };
  git("init", "--quiet", "--initial-branch=main");
  const baseCommit = commit();
  const run =
    (job: () => Variables, ...command: string[]) =>
    (more: Variables = {}, ...argv: string[]) =>
      project.avataropsWith(
        { environment: { ...createCiVariables(standIn), ...job(), ...more } },
        ...command,
        ...argv,
      );
  return {
    ...{ ...standIn, standIn, project, git, commit },
    get sha() {
      return sha;
    },
    review: run(() => createPullVariables(standIn, { ...pull, baseCommit, commit: sha }), "review"),
    apply: run(() => createPushVariables(standIn, sha), "apply", "--reviewed"),
  };
}

/** Returns the files for a project with one context. */
export const createDeskFiles = (prompt: string, settings = "") => ({
  "avatarops.yaml": `contexts: { desk: { name: Desk, prompt: ${prompt} } }\n${settings}`,
});

/** Returns the outcome comments without their markers. */
export const listOutcomes = ({ comments }: StandIn["world"]) =>
  comments.flatMap(({ body }) =>
    body.startsWith("<!-- avatarops:outcome") ? body.split("\n").slice(1).join("\n") : [],
  );

export const ada: Person = { id: 8, login: "ada" };

/** Marks the pull request as merged, with its head as the merge commit. */
export const merge = ({ world, sha }: Change) =>
  Object.assign(world.pulls[0] ?? {}, { open: false, merged: sha });
export const listPrompts = ({ project }: Change) =>
  project.emulator.world.contexts.map(({ prompt }) => prompt);
