import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parse, parseAllDocuments } from "yaml";
import { newFolder } from "../cli/hosting.js";
import { type Ended, execute } from "../installing.js";
import { cloneSettings } from "./commit.js";
import { npmSettings } from "./npm-settings.js";

/*
 * Runs jobs of the GitLab component. Fills in inputs, follows `extends`, and runs the scripts in a shell with a
 * runner's variables.
 */

export interface Job {
  readonly extends?: string;
  readonly variables?: Readonly<Record<string, string>>;
  readonly before_script?: readonly string[];
  readonly script?: readonly string[];
  readonly allow_failure?: unknown;
}

/** Returns a component job with these inputs or their defaults. */
export function createJob(name: string, inputs: Readonly<Record<string, string | boolean>> = {}): Job {
  const text = readFileSync("templates/avatarops.yml", "utf8");
  const [header, body] = parseAllDocuments(text);
  if (!header) throw new Error("The component is empty.");
  const { spec } = header.toJS() as { spec: { inputs: Record<string, { default?: string | boolean }> } };
  const unknown = Object.keys(inputs).filter((input) => !(input in spec.inputs));
  if (unknown.length > 0) throw new Error(`The component has no input ${unknown.join(", ")}.`);
  const filled = String(body).replace(/\$\[\[ inputs\.([\w-]+) \]\]/g, (_, input: string) =>
    String(inputs[input] ?? spec.inputs[input]?.default),
  );
  const jobs = parse(filled) as Record<string, Job>;
  const job = jobs[name];
  if (!job) throw new Error(`The component has no job ${name}: ${Object.keys(jobs).join(", ")}.`);
  return { ...jobs[job.extends ?? ""], ...job };
}

/** Returns a job from these files, merged with the job that it extends. */
export function readJob(files: readonly string[], name: string): Job {
  const jobs = Object.assign({}, ...files.map((file) => parse(readFileSync(file, "utf8")))) as Record<
    string,
    Job
  >;
  const { extends: parent, ...job } = jobs[name] ?? {};
  return parent === undefined ? job : { ...readJob(files, parent), ...job };
}

/** Runs a job on a clone of the remote. `project` is the clone's folder. */
export async function runJob(
  job: Job,
  given: { remote: string; sha: string; variables: Readonly<Record<string, string>> },
): Promise<Ended & { readonly project: string }> {
  const folder = await newFolder();
  const project = path.join(folder, "project");
  mkdirSync(project);
  const git = (...argv: string[]) => execFileSync("git", argv, { cwd: project, stdio: "pipe" });
  git("init", "--quiet");
  git("remote", "add", "origin", given.remote);
  const depth = job.variables?.GIT_DEPTH ?? "20";
  git("fetch", "--quiet", "--no-tags", ...(depth === "0" ? [] : [`--depth=${depth}`]), "origin", given.sha);
  git("checkout", "--quiet", "--detach", "FETCH_HEAD");
  const script = path.join(folder, "script.sh");
  const lines = [...(job.before_script ?? []), ...(job.script ?? [])];
  writeFileSync(script, ["set -eo pipefail", ...lines].join("\n"));
  const ended = await execute("bash", ["--noprofile", "--norc", script], {
    cwd: project,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      CI: "true",
      GITLAB_CI: "true",
      CI_PROJECT_DIR: project,
      CI_PROJECT_PATH: "team/avatars",
      CI_PROJECT_ID: "7",
      CI_COMMIT_SHA: given.sha,
      CI_JOB_TOKEN: "job-token",
      ...npmSettings,
      ...cloneSettings,
      ...job.variables,
      ...given.variables,
    },
  });
  return { ...ended, project };
}
