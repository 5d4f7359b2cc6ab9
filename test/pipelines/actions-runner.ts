import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";
import { newFolder } from "../cli/hosting.js";
import { type Ended, execute } from "../installing.js";
import { asText, type Contexts, evaluate, interpolate } from "./expressions.js";

/*
 * Runs workflows of GitHub, Gitea and Forgejo as they stand: expressions, matrices and composite actions are evaluated, and each `run:`
 * goes to bash with the environment and the files that a runner gives. What comes from elsewhere has a stand-in: the checkout is a
 * shallow clone, and the programs that the other actions install are on this machine.
 */

const repository = path.resolve(import.meta.dirname, "../..");

/** One event on the code host, and what the host knows. */
export interface Occasion {
  readonly event: "pull_request" | "push" | "schedule" | "workflow_dispatch";
  /** The event as the host writes it. */
  readonly payload?: Readonly<Record<string, unknown>>;
  /** The commit that the event is about. */
  readonly sha: string;
  readonly ref: string;
  /** Where a checkout comes from. */
  readonly remote: string;
  readonly repository?: string;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly vars?: Readonly<Record<string, string>>;
  readonly inputs?: Readonly<Record<string, string>>;
  readonly token?: string;
  /** Variables of the runner beside those of every runner: the host's addresses. */
  readonly runner?: Readonly<Record<string, string>>;
  /** RUNNER_TEMP, where tools are installed: jobs of a runner that is kept share it. */
  readonly temp: string;
  /** Values of `env:` and `with:` that the test replaces, such as the version to install. */
  readonly replaced?: Readonly<Record<string, string>>;
  /** Called before each job with what its token may do; undefined if neither workflow nor job says. */
  readonly permit?: (permissions: Permissions | undefined) => void;
}

/** Such as `{ contents: "read" }`. */
export type Permissions = Readonly<Record<string, string>>;

/** What came of a job. */
export interface RanJob extends Ended {
  /** Of the job, and of its row of the matrix: `plan (staging)`. */
  readonly name: string;
  /** The job summary, in Markdown. */
  readonly summary: string;
}

interface Step {
  readonly id?: string;
  readonly name?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly run?: string;
  readonly env?: Readonly<Record<string, unknown>>;
  readonly "working-directory"?: string;
}
interface Job {
  readonly if?: string;
  readonly needs?: string;
  readonly outputs?: Readonly<Record<string, string>>;
  readonly permissions?: Permissions;
  readonly env?: Readonly<Record<string, unknown>>;
  readonly strategy?: {
    readonly matrix?: Readonly<Record<string, unknown>>;
    readonly "fail-fast"?: boolean;
  };
  readonly steps: readonly Step[];
}
interface Workflow {
  readonly permissions?: Permissions;
  readonly env?: Readonly<Record<string, unknown>>;
  readonly defaults?: { readonly run?: { readonly "working-directory"?: string } };
  readonly jobs: Readonly<Record<string, Job>>;
}

/** Runs the jobs of a workflow that run on this occasion, each row of its matrix in a workspace of its own. */
export function runWorkflow(file: string, occasion: Occasion): Promise<RanJob[]> {
  return runWorkflowText(readFileSync(file, "utf8"), occasion);
}

/** The same with the text of a workflow. */
export async function runWorkflowText(text: string, occasion: Occasion): Promise<RanJob[]> {
  const workflow = parse(text) as Workflow;
  const github = githubOf(occasion);
  const needs: Record<string, { readonly outputs: Readonly<Record<string, string>> }> = {};
  const { inputs, secrets, vars } = occasion;
  const contexts = { github, inputs, secrets, vars, needs };
  const ran: RanJob[] = [];
  for (const [name, job] of Object.entries(workflow.jobs)) {
    if (job.needs !== undefined && !(job.needs in needs)) continue;
    if (job.if !== undefined && !evaluate(bare(job.if), contexts)) continue;
    for (const matrix of rowsOf(job, contexts)) {
      const row = Object.values(matrix).join(", ");
      occasion.permit?.(job.permissions ?? workflow.permissions);
      const runner = await startRunner(occasion, github);
      const folder = workflow.defaults?.run?.["working-directory"] ?? ".";
      const steps = job.steps.map((step) => ({ "working-directory": folder, ...step }));
      const { outputs, ...result } = await runSteps(steps, runner, { ...contexts, matrix }, [
        workflow.env,
        job.env,
      ]);
      if (result.exit === 0)
        needs[name] = {
          outputs: Object.fromEntries(
            Object.entries(job.outputs ?? {}).map(([key, text]) => [
              key,
              asText(interpolate(text, { ...contexts, steps: outputs })),
            ]),
          ),
        };
      ran.push({
        name: row ? `${name} (${row})` : name,
        ...result,
        summary: readFileSync(runner.files.summary, "utf8"),
      });
      if (result.exit !== 0 && job.strategy?.["fail-fast"] !== false) break;
    }
  }
  return ran;
}

interface Runner {
  readonly occasion: Occasion;
  readonly workspace: string;
  readonly temp: string;
  readonly files: Readonly<Record<"output" | "env" | "path" | "summary", string>>;
  /** What steps added to PATH and to the environment. */
  readonly added: { path: string[]; env: Record<string, string> };
  readonly environment: Readonly<Record<string, string>>;
}

async function startRunner(occasion: Occasion, github: Readonly<Record<string, unknown>>): Promise<Runner> {
  const folder = await newFolder();
  const inside = (name: string) => path.join(folder, name);
  const { temp } = occasion;
  const [workspace, home] = [inside("workspace"), inside("home")];
  for (const made of [workspace, home]) mkdirSync(made);
  const files = {
    output: inside("output"),
    env: inside("env"),
    path: inside("path"),
    summary: inside("summary"),
  };
  for (const file of Object.values(files)) writeFileSync(file, "");
  writeFileSync(inside("event.json"), JSON.stringify(github.event));
  const environment = {
    PATH: process.env.PATH ?? "",
    HOME: home,
    CI: "true",
    GITHUB_ACTIONS: "true",
    GITHUB_WORKSPACE: workspace,
    RUNNER_TEMP: temp,
    GITHUB_EVENT_PATH: inside("event.json"),
    GITHUB_EVENT_NAME: occasion.event,
    GITHUB_SHA: occasion.sha,
    GITHUB_REF: occasion.ref,
    GITHUB_REF_NAME: occasion.ref.replace(/^refs\/(heads|pull)\//, ""),
    GITHUB_REPOSITORY: asText(github.repository),
    GITHUB_RUN_ID: "42",
    GITHUB_RUN_NUMBER: "7",
    GITHUB_ACTOR: "octavia",
    GITHUB_OUTPUT: files.output,
    GITHUB_ENV: files.env,
    GITHUB_PATH: files.path,
    GITHUB_STEP_SUMMARY: files.summary,
    ...npmSettings,
    ...occasion.runner,
  };
  return { occasion, workspace, temp, files, added: { path: [], env: {} }, environment };
}

function githubOf({
  event,
  payload,
  sha,
  ref,
  repository: name = "team/avatars",
  token = "job-token",
  ...rest
}: Occasion) {
  return { event_name: event, event: payload ?? {}, sha, ref, repository: name, token, inputs: rest.inputs };
}

/** `if:` may be written with or without braces. */
function bare(condition: string): string {
  return condition.replace(/^\s*\$\{\{(.*)\}\}\s*$/s, "$1");
}

function rowsOf(job: Job, contexts: Contexts): Record<string, unknown>[] {
  let rows: Record<string, unknown>[] = [{}];
  const { include, ...matrix } = job.strategy?.matrix ?? {};
  if (typeof include === "string") rows = interpolate(include, contexts) as typeof rows;
  for (const [key, given] of Object.entries(matrix)) {
    const values = typeof given === "string" ? interpolate(given, contexts) : given;
    rows = rows.flatMap((row) => (values as unknown[]).map((value) => ({ ...row, [key]: value })));
  }
  return rows;
}

type Layer = Readonly<Record<string, unknown>> | undefined;

/** Runs steps until one fails; what they printed. */
async function runSteps(
  steps: readonly Step[],
  runner: Runner,
  contexts: Contexts,
  layers: readonly Layer[],
): Promise<Ended & { readonly outputs: StepOutputs }> {
  const printed = { stdout: "", stderr: "" };
  const outputs: StepOutputs = {};
  for (const step of steps) {
    const env = environmentOf([...layers, step.env], runner, contexts);
    const now = { ...contexts, steps: outputs, env: { ...runner.added.env, ...env } };
    if (step.if !== undefined && !evaluate(bare(step.if), now)) continue;
    const ended: EndedStep =
      step.run === undefined ? await use(step, runner, now, env) : await runScript(step, runner, now, env);
    printed.stdout += ended.stdout;
    printed.stderr += ended.stderr;
    if (ended.exit !== 0) return { exit: ended.exit, ...printed, outputs };
    const given = { ...takeLines(runner.files.output), ...ended.outputs };
    if (step.id) outputs[step.id] = { outputs: given };
    Object.assign(runner.added.env, takeLines(runner.files.env));
    runner.added.path.unshift(...readFileSync(runner.files.path, "utf8").split("\n").filter(Boolean));
    writeFileSync(runner.files.path, "");
  }
  return { exit: 0, ...printed, outputs };
}

type StepOutputs = Record<string, { outputs: Record<string, string> }>;
/** How a step ended; of an action, with its outputs. */
type EndedStep = Ended & { readonly outputs?: Readonly<Record<string, string>> };

function environmentOf(layers: readonly Layer[], runner: Runner, contexts: Contexts): Record<string, string> {
  const env: Record<string, string> = {};
  for (const layer of layers)
    for (const [name, value] of Object.entries(layer ?? {}))
      env[name] = asText(typeof value === "string" ? interpolate(value, { ...contexts, env }) : value);
  for (const [name, value] of Object.entries(runner.occasion.replaced ?? {}))
    if (name in env) env[name] = value;
  return env;
}

function runScript(
  step: Step,
  runner: Runner,
  contexts: Contexts,
  env: Record<string, string>,
): Promise<Ended> {
  const script = path.join(mkdtempSync(path.join(runner.temp, "step-")), "script.sh");
  writeFileSync(script, asText(interpolate(step.run ?? "", contexts)));
  const folder = asText(interpolate(step["working-directory"] ?? ".", contexts));
  const all = { ...runner.environment, ...runner.added.env, ...env };
  const PATH = [...runner.added.path, all.PATH].join(path.delimiter);
  return execute("bash", ["--noprofile", "--norc", "-eo", "pipefail", script], {
    cwd: path.resolve(runner.workspace, folder),
    env: { ...all, PATH },
  });
}

async function use(
  step: Step,
  runner: Runner,
  contexts: Contexts,
  env: Record<string, string>,
): Promise<EndedStep> {
  const given = environmentOf([step.with], runner, contexts);
  const [action = ""] = (step.uses ?? "").split("@");
  if (action === "avatarops/avatarops") return runAction(given, runner, contexts, env);
  if (action === "actions/checkout") checkOut(runner, given);
  else if (!["actions/setup-node", "hashicorp/setup-terraform"].includes(action))
    throw new Error(`There is no stand-in for ${step.uses}.`);
  return { exit: 0, stdout: "", stderr: "" };
}

/** Our own action, as the steps that it is composed of. It does not see the secrets of the workflow. */
async function runAction(
  given: Readonly<Record<string, string>>,
  runner: Runner,
  { github, env: around }: Contexts,
  env: Record<string, string>,
): Promise<EndedStep> {
  const action = parse(readFileSync(path.join(repository, "action.yml"), "utf8")) as {
    inputs: Record<string, { default?: string; required?: boolean }>;
    outputs: Record<string, { value: string }>;
    runs: { steps: Step[] };
  };
  const unknown = Object.keys(given).filter((name) => !(name in action.inputs));
  if (unknown.length > 0) throw new Error(`The action has no input ${unknown.join(", ")}.`);
  const contexts = { github: { ...(github as object), action_path: repository }, env: around };
  const inputs: Record<string, string> = {};
  for (const [name, { default: preset = "", required }] of Object.entries(action.inputs)) {
    if (required && !given[name]) throw new Error(`The action needs its input ${name}.`);
    inputs[name] = runner.occasion.replaced?.[name] ?? given[name] ?? asText(interpolate(preset, contexts));
  }
  const ended = await runSteps(action.runs.steps, runner, { ...contexts, inputs }, [env]);
  const values = Object.entries(action.outputs).map(([name, { value }]) => [
    name,
    asText(interpolate(value, { ...contexts, steps: ended.outputs })),
  ]);
  return { ...ended, outputs: Object.fromEntries(values) };
}

/**
 * As the checkout action does: one commit unless it is told otherwise, on a branch where it is one, and the credentials in the
 * settings.
 */
function checkOut({ occasion, workspace }: Runner, given: Readonly<Record<string, string>>): void {
  const git = (...argv: string[]) => execFileSync("git", argv, { cwd: workspace, stdio: "pipe" });
  git("init", "--quiet", "--initial-branch=unused");
  git("remote", "add", "origin", occasion.remote);
  if (given["persist-credentials"] !== "false" && occasion.token && occasion.remote.startsWith("http")) {
    const basic = Buffer.from(`x-access-token:${occasion.token}`).toString("base64");
    const { origin } = new URL(occasion.remote);
    git("config", `http.${origin}/.extraheader`, `AUTHORIZATION: basic ${basic}`);
  }
  const { ref = "", "fetch-depth": depth = "1" } = given;
  const wanted = [ref || occasion.sha, ...(depth === "0" ? ["+refs/heads/*:refs/remotes/origin/*"] : [])];
  git("fetch", "--quiet", "--no-tags", ...(depth === "0" ? [] : [`--depth=${depth}`]), "origin", ...wanted);
  const branch = /^refs\/heads\/(.*)$/.exec(occasion.ref)?.[1];
  git("checkout", "--quiet", "--force", ...(branch ? ["-B", branch] : ["--detach"]), "FETCH_HEAD");
}

/** The lines NAME=VALUE of a file that steps write, which is emptied. */
function takeLines(file: string): Record<string, string> {
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  writeFileSync(file, "");
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
}

/** Packages come from where they come from on this machine, and from its cache. */
export const npmSettings = {
  npm_config_cache: npmSetting("cache"),
  npm_config_userconfig: npmSetting("userconfig"),
  npm_config_prefer_offline: "true",
  ...(process.env.NODE_EXTRA_CA_CERTS ? { NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS } : {}),
};

function npmSetting(name: string): string {
  return execFileSync("npm", ["config", "get", name], { encoding: "utf8", stdio: "pipe" }).trim();
}
