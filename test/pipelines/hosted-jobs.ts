import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, vi } from "vitest";
import { parse } from "yaml";
import { packInto } from "../installing.js";
import { type JobResult, runWithAct, type TriggerEvent } from "../real/act.js";
import type { Hosted, Installed } from "./repository.js";

/** Packs the package before the tests and sets test timeouts for jobs. */
export function packForJobs(): Installed {
  // Each job installs the package, and some wait two minutes for another environment.
  vi.setConfig({ testTimeout: 1_200_000 });
  const installed = { temp: "", version: "" };
  beforeAll(async () => {
    installed.temp = await mkdtemp(path.join(tmpdir(), "avatarops-pipelines-"));
    installed.version = `file:${await packInto(installed.temp)}`;
  });
  afterAll(() => rm(installed.temp, { recursive: true }));
  return installed;
}

/** Runs an unchanged workflow. */
export const runWorkflow = (file: string, occasion: TriggerEvent) =>
  runWithAct(readFileSync(file, "utf8"), occasion);

/** Runs the workflows in a folder that the event triggers. */
export async function runWorkflows(folder: string, occasion: TriggerEvent): Promise<JobResult[]> {
  const ran: JobResult[] = [];
  for (const file of listWorkflows(folder))
    if (Object.hasOwn(parse(readFileSync(file, "utf8")).on, occasion.event))
      ran.push(...(await runWorkflow(file, occasion)));
  return ran;
}

export const listWorkflows = (folder: string) =>
  readdirSync(folder)
    .toSorted()
    .map((name) => path.join(folder, name));

/** Returns the exit code of each job by name. */
export const listExits = (jobs: readonly JobResult[]) =>
  Object.fromEntries(jobs.map(({ name, exit }) => [name, exit]));

export const listContextNames = ({ emulator }: Hosted) =>
  emulator.world.contexts.map(({ name }) => name).toSorted();
/** Returns the commit status contexts, sorted. */
export const listStatuses = ({ world }: Hosted) => world.statuses.map(({ context }) => context).toSorted();
export const joinOutput = (jobs: readonly JobResult[]) =>
  jobs.map(({ stdout, stderr }) => stdout + stderr).join("\n");

/** Returns GitLab's project and runner variables. */
export const createGitlabVariables = ({ emulator, options }: Hosted) => ({
  AVATAROPS_BASE_URL: emulator.url,
  AVATAROPS_API_KEY: "test-key",
  CI_SERVER_URL: options.webUrl,
  CI_API_V4_URL: options.apiUrl,
  GITLAB_TOKEN: options.token.reveal(),
});

/** Returns the component's inputs for the `staging` environment of the manifest. */
export const createStagingInputs = ({ version }: Installed) => ({
  ...{ environment: "staging", "env-option": true, smoke: true },
  version,
});
