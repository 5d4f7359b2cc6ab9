import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, writeFile } from "node:fs/promises";
import path from "node:path";
import { text } from "node:stream/consumers";
import { npmSettings } from "../pipelines/actions-runner.js";
import { actTool } from "./tools.js";

/*
 * nektos/act, which runs workflows as GitHub's runner does: it judges their syntax and expressions, and what their steps are given.
 */

/** A job that a code host handed out. */
export interface ActJob {
  /** The workflow, with this job alone. */
  readonly workflow: string;
  readonly event: string;
  readonly payload: object;
  readonly secrets: Readonly<Record<string, string>>;
  readonly vars: Readonly<Record<string, string>>;
  /** Of the runner: addresses, repository, commit. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface ActResult {
  /** Of the step that failed, or 0. */
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Of the job, in Markdown. */
  readonly summary: string;
}

/** One line of its log. */
interface Line {
  readonly msg: string;
  /** What a step printed. */
  readonly raw_output?: boolean;
  readonly level: string;
  readonly command?: string;
  readonly content?: string;
  readonly jobResult?: "success" | "failure" | "skipped";
}

/** Runs a job in a new folder below `temp`; undefined if its `if` left it out. */
export async function runWithAct(job: ActJob, temp: string): Promise<ActResult | undefined> {
  const folder = await mkdtemp(path.join(temp, "act-"));
  const put = async (name: string, content: string) => {
    const file = path.join(folder, name);
    await writeFile(file, content);
    return file;
  };
  const lines = (values: Readonly<Record<string, string>>) =>
    Object.entries(values)
      .map(([name, value]) => `${name}=${value}\n`)
      .join("");
  // Gitea hands out numbers and booleans as texts.
  const workflow = job.workflow.replace(
    /^(\s*(?:timeout-minutes|cancel-in-progress|fail-fast): )"(\w+)"$/gm,
    "$1$2",
  );
  const checkout = /actions\/checkout@\w+/.exec(workflow)?.[0];
  const stand = path.resolve(import.meta.dirname, "checkout");
  const argv = [
    ...[job.event, "--json", "--no-cache-server", "--no-skip-checkout"],
    ...["--directory", folder, "--platform", "ubuntu-latest=-self-hosted"],
    ...["--workflows", await put("workflow.yml", workflow)],
    ...["--eventpath", await put("event.json", JSON.stringify(job.payload))],
    ...["--secret-file", await put("secrets", lines(job.secrets))],
    ...["--var-file", await put("vars", lines(job.vars))],
    ...["--env-file", await put("env", lines({ ...npmSettings, ...job.environment }))],
    ...["--action-cache-path", path.join(folder, "cache")],
    ...(checkout === undefined ? [] : ["--local-repository", `${checkout}=${stand}`]),
  ];
  const env = { PATH: process.env.PATH, HOME: folder };
  const child = spawn(actTool.program, argv, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  const ended = once(child, "close") as Promise<[code: number | null]>;
  const [out, failure, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  const log = `${out}\n${failure}`
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Line);
  const result = log.findLast(({ jobResult }) => jobResult)?.jobResult;
  // It says nothing of a job that its `if` leaves out.
  if (result === "skipped" || (result === undefined && code === 0)) return undefined;
  if (result === undefined) throw new Error(`act ended without a result:\n${out}${failure}`);
  const all = (is: (line: Line) => boolean, read: (line: Line) => string = ({ msg }) => msg) =>
    log.filter(is).map(read).join("");
  const errors = all(
    ({ level }) => level === "error",
    ({ msg }) => `${msg}\n`,
  );
  const [, exit = result === "success" ? "0" : "1"] = /exit status (\d+)/.exec(errors) ?? [];
  return {
    exit: Number(exit),
    stdout: all(({ raw_output }) => raw_output === true),
    stderr: errors,
    summary: all(
      ({ command }) => command === "summary",
      ({ content = "" }) => content,
    ),
  };
}
