import { setTimeout as wait } from "node:timers/promises";
import { type JobResult, runWithAct } from "./act.js";
import type { Gitea } from "./gitea.js";

/*
 * Runner for Gitea Actions. Registers, fetches jobs with their own tokens, runs them with act and reports their
 * results.
 */

/** Job from Gitea and its result. `ran` is undefined if the job was skipped by its `if`. */
export interface RunnerJob {
  readonly event: string;
  readonly job: string;
  /** Names of the secrets that Gitea sent with the job. */
  readonly secrets: readonly string[];
  readonly ran?: JobResult;
}

export interface ActionsRunner {
  /** Waits for at least this number of jobs and runs jobs until no more arrive. */
  untilDone(atLeast: number): Promise<RunnerJob[]>;
  /** Waits for a job and starts it. The returned function completes the job. */
  start(): Promise<() => Promise<RunnerJob>>;
}

interface Task {
  readonly id: string;
  /** Workflow with only this job, in base64. */
  readonly workflowPayload: string;
  readonly context: Readonly<Record<string, unknown>> & {
    readonly event: Readonly<Record<string, unknown>>;
    readonly event_name: string;
    readonly token: string;
    readonly job: string;
    readonly repository: string;
    readonly sha: string;
    readonly ref: string;
    readonly run_number: string;
    readonly server_url: string;
    readonly api_url: string;
  };
  readonly secrets?: Readonly<Record<string, string>>;
  readonly vars?: Readonly<Record<string, string>>;
}

/** Machine properties, read at the start of each job. */
export interface RunnerMachine {
  /** Folder for job files. */
  readonly temp: string;
  /** Package version that jobs install, or the commit that they build. */
  version: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Starts a runner for all repositories on a Gitea server. */
export async function startActionsRunner(gitea: Gitea, machine: RunnerMachine): Promise<ActionsRunner> {
  const { url, owner, api } = gitea;
  const call = async <Answer>(method: string, body: unknown, headers = {}) => {
    const answer = await fetch(`${url}/api/actions/runner.v1.RunnerService/${method}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${method}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Answer;
  };
  const where = "/admin/actions/runners/registration-token";
  const { token } = await api<{ token: string }>(owner, "POST", where);
  const named = { name: "tests", version: "v1.0.0", labels: ["ubuntu-latest"] };
  type Registered = { runner: { uuid: string; token: string } };
  const { runner } = await call<Registered>("Register", { ...named, token });
  const as = { "x-runner-uuid": runner.uuid, "x-runner-token": runner.token };
  await call("Declare", named, as);

  const fetchTask = async () => (await call<{ task?: Task }>("FetchTask", { tasksVersion: 0 }, as)).task;
  const run = async ({ id, workflowPayload, context, secrets, vars }: Task): Promise<RunnerJob> => {
    const startedAt = new Date().toISOString();
    const { event, event_name, sha, ref, repository, token, job, server_url, api_url, run_number } = context;
    const given = Buffer.from(workflowPayload, "base64").toString();
    const [ran] = await runWithAct(given, {
      ...{ event: event_name, payload: event, sha, ref, repository, token },
      ...{ temp: machine.temp, version: machine.version },
      ...{ secrets: secrets ?? {}, vars: vars ?? {} },
      environment: {
        ...machine.environment,
        GITEA_ACTIONS: "true",
        GITHUB_SERVER_URL: server_url.replace(/\/$/, ""),
        GITHUB_API_URL: api_url,
        GITHUB_RUN_NUMBER: run_number,
      },
    });
    const result = ran ? (ran.exit === 0 ? "RESULT_SUCCESS" : "RESULT_FAILURE") : "RESULT_SKIPPED";
    await call("UpdateTask", { state: { id, result, startedAt, stoppedAt: new Date().toISOString() } }, as);
    return { event: event_name, job, secrets: Object.keys(secrets ?? {}), ...(ran ? { ran } : {}) };
  };

  const waitForTask = async (attempts: number) => {
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const task = await fetchTask();
      if (task) return task;
      await wait(250);
    }
    return undefined;
  };
  // Maximum attempts for the first jobs (a minute). Gitea takes a moment to create an event's jobs, and longer on a
  // busy machine.
  const first = 240;

  return {
    async untilDone(atLeast) {
      const jobs: RunnerJob[] = [];
      for (;;) {
        const task = await waitForTask(jobs.length < atLeast ? first : 8);
        if (!task) return jobs;
        jobs.push(await run(task));
      }
    },
    async start() {
      const task = await waitForTask(first);
      if (!task) throw new Error("Gitea has no job.");
      return () => run(task);
    },
  };
}
