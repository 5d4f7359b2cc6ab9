import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { parse } from "yaml";
import { tools } from "../../scripts/tools.js";
import { cloneSettings, extractCommit, isCommit } from "../pipelines/commit.js";
import { npmSettings } from "../pipelines/npm-settings.js";

/*
 * Runs workflows with nektos/act, which checks syntax and expressions like GitHub's runner and passes inputs to steps.
 * Replaces other actions with stand-ins from `actions`, because this machine already has the programs they install.
 */

/** Event on a code host, with inputs for its jobs. */
export interface TriggerEvent {
  readonly event: string;
  /** Event in the host's format. */
  readonly payload: object;
  readonly sha: string;
  readonly ref: string;
  readonly repository: string;
  readonly secrets: Readonly<Record<string, string>>;
  readonly vars: Readonly<Record<string, string>>;
  readonly token: string;
  /** Runner's environment variables: the host's URLs, and CHECKOUT_FROM for a checkout from another URL. */
  readonly environment: Readonly<Record<string, string>>;
  /** Parent folder of the job folders. */
  readonly temp: string;
  /** Package version that jobs install, or a commit of this repository that they build. */
  readonly version: string;
  /** Called at the start of each job, with the combined token permissions of all jobs started so far. */
  readonly permit?: (permissions: Permissions) => void;
}

/** Token permissions, such as `{ contents: "read" }`. */
type Permissions = Readonly<Record<string, string>>;

export interface JobResult {
  /** Job name with its matrix row, such as `plan (staging)`. */
  readonly name: string;
  /** The failed step's exit code, or 0. */
  exit: number;
  /** Step output. */
  stdout: string;
  /** Reasons for failed steps. */
  stderr: string;
  /** Job summary in Markdown. */
  summary: string;
}

/** Line in act's log. */
interface Line {
  readonly msg: string;
  readonly jobID?: string;
  readonly matrix?: Readonly<Record<string, string>> | null;
  /** Whether a step printed the line. */
  readonly raw_output?: boolean;
  readonly level: string;
  readonly command?: string;
  readonly content?: string;
}

const findFolder = (standIn: string) => path.join(import.meta.dirname, "actions", standIn);
const standIns: Readonly<Record<string, string>> = {
  "actions/cache": findFolder("cache"),
  "actions/checkout": findFolder("checkout"),
  "actions/setup-node": findFolder("nothing"),
  "hashicorp/setup-terraform": findFolder("nothing"),
};

/** Runs a workflow's jobs for this event and returns their results in start order. */
export async function runWithAct(given: string, occasion: TriggerEvent): Promise<JobResult[]> {
  const { event, payload, sha, ref, repository, secrets, token, vars, version, permit } = occasion;
  const folder = await mkdtemp(path.join(occasion.temp, "act-"));
  const put = async (name: string, content: string) => {
    const file = path.join(folder, name);
    await writeFile(file, content);
    return file;
  };
  const lines = (values: Readonly<Record<string, string>>) =>
    Object.entries(values)
      .map(([name, value]) => `${name}=${value}\n`)
      .join("");
  const workflow = given
    // Gitea sends numbers and booleans as strings.
    .replace(/^(\s*(?:timeout-minutes|cancel-in-progress|fail-fast): )"(\w+)"$/gm, "$1$2")
    // act does not support `queue`.
    .replace(/^ *queue: max\n/gm, "")
    .replace(/^( *AVATAROPS_VERSION: ).*$/m, (_, name: string) => name + JSON.stringify(version));
  // Our own action builds the commit or installs the version.
  const own = path.join(folder, "own");
  await mkdir(own);
  if (isCommit(version)) extractCommit(version, own);
  else {
    const action = await readFile("action.yml", "utf8");
    await put(
      "own/action.yml",
      action.replace(/^( {2}version:\n.*\n.*default: )""/m, (_, input) => input + JSON.stringify(version)),
    );
  }
  const action = await readFile(path.join(own, "action.yml"), "utf8");
  const folders: typeof standIns = { ...standIns, "avatarops/avatarops": own };
  const used = Array.from(
    (workflow + action).matchAll(/ uses: "?(([\w-]+\/[\w-]+)[^@\s]*(@[\w.]+))/g),
    ([, , name = "", ref]) => ["--local-repository", `${name}${ref}=${folders[name]}`],
  );
  const environment = { GITHUB_REPOSITORY: repository, GITHUB_REF: ref, ...occasion.environment };
  const argv = [
    ...[event, "--json", "--no-cache-server", "--no-skip-checkout"],
    ...["--directory", folder, "--platform", "ubuntu-latest=-self-hosted"],
    ...["--workflows", await put("workflow.yml", workflow)],
    ...["--eventpath", await put("event.json", JSON.stringify(payload))],
    ...["--secret-file", await put("secrets", lines({ ...secrets, GITHUB_TOKEN: token }))],
    ...["--var-file", await put("vars", lines(vars))],
    // act reads the event's commit from SHA_REF.
    ...[
      "--env-file",
      await put("env", lines({ ...npmSettings, ...cloneSettings, ...environment, SHA_REF: sha })),
    ],
    ...["--action-cache-path", path.join(folder, "cache"), ...used.flat()],
  ];
  const env = { PATH: process.env.PATH, HOME: folder };
  const child = spawn(tools.act.path, argv, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  const [ended, failure] = [once(child, "close"), text(child.stderr)];
  const { jobs, permissions } = parse(workflow) as Permitting & { jobs: Record<string, Permitting> };
  const permitted = {};
  const ran = new Map<string, JobResult>();
  for await (const json of createInterface({ input: child.stdout })) {
    const { jobID, matrix, msg, level, ...line } = JSON.parse(json) as Line;
    if (jobID === undefined) continue;
    const row = Object.values(matrix ?? {}).join(", ");
    const name = row ? `${jobID} (${row})` : jobID;
    if (!ran.has(name)) permit?.(Object.assign(permitted, jobs[jobID]?.permissions ?? permissions));
    const job = ran.get(name) ?? { name, exit: 0, stdout: "", stderr: "", summary: "" };
    if (line.raw_output) job.stdout += msg;
    if (line.command === "summary") job.summary += line.content;
    if (level === "error") {
      job.exit ||= Number(/exit status (\d+)/.exec(msg)?.[1] ?? 1);
      job.stderr += `${msg}\n`;
    }
    ran.set(name, job);
  }
  const [[code], stderr] = await Promise.all([ended, failure]);
  const all = [...ran.values()];
  if (code !== 0 && all.every(({ exit }) => exit === 0)) throw new Error(`act failed:\n${stderr}`);
  return all;
}

interface Permitting {
  readonly permissions?: Permissions;
}
