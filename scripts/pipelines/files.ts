import { readFileSync } from "node:fs";
import { globSync } from "tinyglobby";
import { parseAllDocuments } from "yaml";

/** Pipeline files by schema. Paths are relative to the repository. */
export const pipelineFiles = {
  "github-actions": ["action.yml"],
  // Forgejo and Gitea use GitHub's syntax.
  "github-workflows": globSync([
    ".github/workflows/*.yml",
    "examples/ci/{github,forgejo}/*/*.yml",
  ]).toSorted(),
  "gitlab-ci": globSync(["templates/*.yml", "examples/ci/gitlab/*.yml"], { dot: true }).toSorted(),
};

/** Returns the YAML documents of a file. GitLab components have two. */
export function parseDocuments(file: string): unknown[] {
  return parseAllDocuments(readFileSync(file, "utf8")).map((document) => document.toJS());
}

/** Script text that a runner passes to the shell. */
export interface Script {
  /** Name to use in messages. */
  readonly name: string;
  readonly text: string;
}

/** Returns the scripts of an action's steps. */
export function listActionScripts(file: string): Script[] {
  const [action] = parseDocuments(file) as [{ runs: { steps: { name?: string; run?: string }[] } }];
  return action.runs.steps.flatMap(({ name = "", run }) =>
    run === undefined ? [] : [{ name: `${file}: ${name}`, text: run }],
  );
}

/** Returns the install script that the jobs of a workflow share, if any. */
export function listWorkflowScripts(file: string): Script[] {
  const [workflow] = parseDocuments(file) as [{ env?: { INSTALL_AVATAROPS?: string } }];
  const text = workflow.env?.INSTALL_AVATAROPS;
  return text === undefined ? [] : [{ name: `${file}: INSTALL_AVATAROPS`, text }];
}

/** Returns the scripts of GitLab jobs. `before_script` and `script` run as one script. */
export function listGitlabScripts(file: string): Script[] {
  const jobs = parseDocuments(file).at(-1) as Record<string, GitlabJob>;
  const joinLines = (job: GitlabJob, part: "before_script" | "script"): string[] =>
    job[part] ?? (job.extends ? joinLines(jobs[job.extends] ?? {}, part) : []);
  return Object.entries(jobs).flatMap(([name, job]) => {
    const text = [...joinLines(job, "before_script"), ...joinLines(job, "script")].join("\n");
    return job.script ? [{ name: `${file}: ${name}`, text }] : [];
  });
}

interface GitlabJob {
  readonly extends?: string;
  readonly before_script?: string[];
  readonly script?: string[];
}
