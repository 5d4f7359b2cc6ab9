import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, vi } from "vitest";
import { packInto } from "../installing.js";
import type { RanJob } from "./actions-runner.js";
import { keptNpm } from "./kept-npm.js";
import type { Hosted, Installed } from "./repository.js";

/** What the tests of jobs share: the package, packed before them, and an npm that installs each list once. */
export function packForJobs(): Installed {
  // npm installs, and many programs are started.
  const installed = { temp: "", version: "" };
  beforeAll(async () => {
    installed.temp = await mkdtemp(path.join(tmpdir(), "avatarops-pipelines-"));
    installed.version = `file:${await packInto(installed.temp)}`;
    vi.stubEnv("PATH", `${keptNpm(installed.temp)}${path.delimiter}${process.env.PATH}`);
  });
  afterAll(() => rm(installed.temp, { recursive: true }));
  return installed;
}

export const namesIn = ({ emulator }: Hosted) => emulator.world.contexts.map(({ name }) => name).toSorted();
export const said = (jobs: readonly RanJob[]) => jobs.map(({ stdout, stderr }) => stdout + stderr).join("\n");

/** The variables of the project and of the runner, on GitLab. */
export const gitlabVariables = ({ emulator, options }: Hosted) => ({
  AVATAROPS_BASE_URL: emulator.url,
  AVATAROPS_API_KEY: "test-key",
  CI_SERVER_URL: options.webUrl,
  CI_API_V4_URL: options.apiUrl,
  GITLAB_TOKEN: options.token.reveal(),
});

/** What the component is told for the environment `staging` of the manifest. */
export const ofStaging = ({ version }: Installed) => ({
  ...{ environment: "staging", "env-option": true, smoke: true },
  version,
});
