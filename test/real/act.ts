import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { parse } from "yaml";
import { cloneSettings, extractCommit, isCommit } from "../pipelines/commit.js";
import { npmSettings } from "../pipelines/npm-settings.js";
import { actTool } from "./tools.js";

/*
 * nektos/act, which runs workflows as GitHub's runner does: it judges their syntax and expressions, and what their steps are given.
 * Other people's actions have stand-ins in `actions`: what they install is on this machine.
 */

/** An event on a code host, and what its jobs are given. */
export interface Occasion {
  readonly event: string;
  /** The event as the host writes it. */
  readonly payload: object;
  /** The commit that the event is about. */
  readonly sha: string;
  readonly ref: string;
  readonly repository: string;
  readonly secrets: Readonly<Record<string, string>>;
  readonly vars: Readonly<Record<string, string>>;
  readonly token: string;
  /** Of the runner: the host's addresses, and CHECKOUT_FROM, if a checkout comes from elsewhere. */
  readonly environment: Readonly<Record<string, string>>;
  /** Jobs have their folders below it. */
  readonly temp: string;
  /** Version of the package that jobs install, or a commit of this repository that they build. */
  readonly version: string;
  /** Called as a job starts with what the tokens of the jobs up to it may do. */
  readonly permit?: (permissions: Permissions) => void;
}

/** Such as `{ contents: "read" }`. */
type Permissions = Readonly<Record<string, string>>;

/** What came of a job. */
export interface RanJob {
  /** Of the job, and of its row of the matrix: `plan (staging)`. */
  readonly name: string;
  /** Of the step that failed, or 0. */
  exit: number;
  /** What the steps printed. */
  stdout: string;
  /** Why steps failed. */
  stderr: string;
  /** In Markdown. */
  summary: string;
}

/** One line of its log. */
interface Line {
  readonly msg: string;
  readonly jobID?: string;
  readonly matrix?: Readonly<Record<string, string>> | null;
  /** What a step printed. */
  readonly raw_output?: boolean;
  readonly level: string;
  readonly command?: string;
  readonly content?: string;
}

const folderOf = (standIn: string) => path.join(import.meta.dirname, "actions", standIn);
const standIns: Readonly<Record<string, string>> = {
  "actions/cache": folderOf("cache"),
  "actions/checkout": folderOf("checkout"),
  "actions/setup-node": folderOf("nothing"),
  "hashicorp/setup-terraform": folderOf("nothing"),
};

/** Runs the jobs of a workflow that run on this occasion; what came of them, in the order in which they started. */
export async function runWithAct(given: string, occasion: Occasion): Promise<RanJob[]> {
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
    // Gitea hands out numbers and booleans as texts.
    .replace(/^(\s*(?:timeout-minutes|cancel-in-progress|fail-fast): )"(\w+)"$/gm, "$1$2")
    // act does not know it.
    .replace(/^ *queue: max\n/gm, "")
    .replace(/^( *AVATAROPS_VERSION: ).*$/m, (_, name: string) => name + JSON.stringify(version));
  // Our own action: it builds the commit, or installs the version.
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
    // SHA_REF is what act takes for the commit of the event.
    ...[
      "--env-file",
      await put("env", lines({ ...npmSettings, ...cloneSettings, ...environment, SHA_REF: sha })),
    ],
    ...["--action-cache-path", path.join(folder, "cache"), ...used.flat()],
  ];
  const env = { PATH: process.env.PATH, HOME: folder };
  const child = spawn(actTool.program, argv, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  const [ended, failure] = [once(child, "close"), text(child.stderr)];
  const { jobs, permissions } = parse(workflow) as Permitting & { jobs: Record<string, Permitting> };
  const permitted = {};
  const ran = new Map<string, RanJob>();
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
  const [[code], said] = await Promise.all([ended, failure]);
  const all = [...ran.values()];
  if (code !== 0 && all.every(({ exit }) => exit === 0)) throw new Error(`act failed:\n${said}`);
  return all;
}

interface Permitting {
  readonly permissions?: Permissions;
}
