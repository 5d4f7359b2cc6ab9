import { sandboxAvatarId } from "../../src/emulator/index.js";
import { type Project, startProject } from "../cli/hosting.js";
import { commitFiles, git } from "../git/repositories.js";
import type { TriggerEvent } from "../real/act.js";
import { type StandIn, type StandInName, startStandIn } from "../review/stand-in.js";
import { newRemote, publish } from "../state/git-servers.js";

/** Job folder, and the version of the packed package. */
export interface Installed {
  readonly temp: string;
  readonly version: string;
}

/** Project on a code host with its state on a ref in the repository. One commit is the head of pull request 7. */
export interface Hosted extends Project, StandIn {
  /** Head commit of `main`. */
  readonly sha: string;
  /** Bare repository URL. */
  readonly remote: string;
  /** Event sent when pull request 7 is opened or updated. */
  readonly pullRequest: TriggerEvent;
  /** Merges pull request 7 without a merge commit. */
  merge(): TriggerEvent;
  /** Event for a push of the commit to `main` without a pull request. */
  readonly push: TriggerEvent;
  /** Manually starts the workflow for `main`. */
  dispatch(inputs: Readonly<Record<string, string>>): TriggerEvent;
  /** Event for a scheduled run. */
  readonly schedule: TriggerEvent;
  /** Opens a stranger's pull request that changes these files. Its runs have no secrets and a read-only token. */
  fork(changed: Readonly<Record<string, string>>): TriggerEvent;
  /** Returns the URL of the stranger's fork, which contains only its own branches. */
  forked(): string;
  /** Reads a file from a repository branch. */
  file(branch: string, file: string): string;
}

export const manifest = `
state: git+refs://origin/avatarops/state
sessions:
  kiosk:
    avatar_id: ${sandboxAvatarId}
    mode: LITE
    persona: { context: desk, voice_id: 10000000-0000-4000-8000-000000000000, language: en }
contexts:
  desk: { name: Desk, prompt: Be kind. }
environments:
  staging:
    state: git+refs://origin/avatarops/staging
    contexts: { desk: { name: Desk (staging), prompt: Be kind to testers. } }
  production: {}
`;

/** Starts a project on a code host with repository settings for base URL, secret and runner. */
export async function startHosted(
  name: StandInName,
  { temp, version }: Installed,
  files: Readonly<Record<string, string>> = { "avatarops.yaml": manifest },
): Promise<Hosted> {
  const project = await startProject({ files });
  const root = project.folder;
  const { folder: origin, url: remote, commit: sha } = publish(root);
  const standIn = await startStandIn(name, { isJobToken: name === "gitea" });
  const { world, options } = standIn;
  const [pull] = world.pulls;
  if (!pull) throw new Error("Bug: the host has no pull request");
  pull.commit = sha;
  world.writers.push({ id: 8, login: "ada" });
  const base = { sha, repo: { full_name: "team/avatars" } };
  const everywhere = {
    ...{ sha, temp, version, repository: "team/avatars", payload: {} },
    vars: { AVATAROPS_BASE_URL: project.emulator.url },
    secrets: { AVATAROPS_API_KEY: "test-key" },
    token: options.token.reveal(),
    environment: {
      ...{ GITHUB_SERVER_URL: options.webUrl, GITHUB_API_URL: options.apiUrl, CHECKOUT_FROM: remote },
      ...(name === "gitea" ? { GITEA_ACTIONS: "true" } : {}),
    },
    permit: (permissions: object) => void Object.assign(standIn, { permissions }),
  };
  const pullRequest: TriggerEvent = {
    ...everywhere,
    ...{ event: "pull_request", ref: "refs/pull/7/head" },
    payload: { number: 7, pull_request: { number: 7, head: base, base } },
  };
  const onMain = { ...everywhere, ref: "refs/heads/main" };
  return {
    ...project,
    ...standIn,
    ...{ sha, remote, pullRequest },
    merge() {
      Object.assign(pull, { open: false, merged: sha });
      return { ...onMain, event: "push" };
    },
    push: { ...onMain, event: "push" },
    dispatch: (inputs) => ({ ...onMain, event: "workflow_dispatch", inputs, payload: { inputs } }),
    schedule: { ...onMain, event: "schedule" },
    fork(changed) {
      git(root, "switch", "--quiet", "--force-create", "fork", "main");
      const head = { sha: commitFiles(root, changed), repo: { full_name: "stranger/avatars" } };
      git(root, "push", "--quiet", "--force", "origin", "HEAD:refs/pull/7/head");
      git(root, "switch", "--quiet", "main");
      Object.assign(pull, { commit: head.sha, fromFork: true });
      standIn.fail({
        on: /^(POST|PATCH|PUT|DELETE) /,
        times: 1000,
        answer: { status: 403, body: '{"message":"Resource not accessible by integration"}' },
      });
      const payload = { number: 7, pull_request: { number: 7, head, base } };
      return { ...pullRequest, sha: head.sha, payload, secrets: {} };
    },
    forked() {
      const own = newRemote();
      git(root, "push", "--quiet", own.url, "main", "fork");
      return own.url;
    },
    file: (branch, file) => git(origin, "show", `${branch}:${file}`),
  };
}
