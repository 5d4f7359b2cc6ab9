import { randomUUID } from "node:crypto";
import { PutObjectCommand } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { matchText, type Project, startProject } from "../cli/hosting.js";
import { commitFiles, git } from "../git/repositories.js";
import { newClone, newRemote, type Remote } from "../state/git-servers.js";
import { formatS3Location } from "./s3-fixture.js";
import { type S3Server, s3Credentials, startMoto } from "./s3-servers.js";
import { serverStores } from "./server-stores.js";

const secret =
  "secrets: { llm: { secret_name: LLM, secret_type: LLMPROVIDER_API_KEY, secret_value: !file key.txt } }\n";

/** Starts a project with its state at this location and one secret. */
function startProjectAt(state: string, environment: Readonly<Record<string, string>> = {}): Promise<Project> {
  return startProject({
    files: { "avatarops.yaml": `state: ${state}\n${secret}`, "key.txt": "sk-one\n" },
    environment,
  });
}

async function startInRepository(state: string): Promise<Project & { readonly remote: Remote }> {
  const project = await startProjectAt(state);
  const remote = newRemote();
  git(project.folder, "init", "--quiet");
  git(project.folder, "remote", "add", "origin", remote.url);
  return { ...project, remote };
}

/** Pushes a commit without a state to a ref. Returns its id. */
function pushForeign({ url }: Remote, ref: string): string {
  const clone = newClone(url);
  commitFiles(clone, { "README.md": "Notes\n", "src/a.txt": "a\n" });
  git(clone, "push", "--quiet", "--force", "origin", `HEAD:${ref}`);
  return git(clone, "rev-parse", "HEAD");
}

describe("state in git", () => {
  const ref = "refs/avatarops/production";
  const location = `git+${ref.replace("/", "://origin/")}`;

  test("rejects a ref that was replaced with a commit without a state, and creates nothing", async () => {
    const project = await startInRepository(location);
    await project.expectApplied();
    const foreign = pushForeign(project.remote, ref);
    const why = `${location} is not an avatarops state: commit ${foreign.slice(0, 10)} contains other files, but no state.json.`;
    for (const command of [["plan"], ["apply", "--auto-approve"]]) await project.expectRefused(command, why);
    expect(project.emulator.world.secrets).toHaveLength(1);
    expect(git(project.remote.folder, "rev-parse", ref)).toBe(foreign);
    expect(git(project.remote.folder, "for-each-ref", "refs/avatarops-locks")).toBe("");
  });

  test("is not migrated to a branch that contains other files", async () => {
    const project = await startInRepository(".avatarops/state.json");
    await project.expectApplied();
    const branch = "refs/heads/avatarops/docs";
    const foreign = pushForeign(project.remote, branch);
    const ran = await project.avatarops("state", "migrate", "--to", "git+refs://origin/heads/avatarops/docs");
    expect(ran).toMatchObject({ exit: 1, stderr: matchText("is not an avatarops state") });
    expect(git(project.remote.folder, "rev-parse", branch)).toBe(foreign);
    await project.expectNothingToDo();
  });
});

test.each(serverStores)(
  "rejects an empty state in %s after a run that did not release its lock",
  async (_, open) => {
    const store = await open();
    const project = await startProjectAt(store.location, store.environment);
    store.prepare(project.folder);
    await project.expectApplied();
    await store.plant({ state: "", journal: "" });
    for (const command of [["plan"], ["apply", "--auto-approve"], ["apply", "--auto-approve"]])
      await project.expectRefused(command, "is not JSON");
    expect(project.emulator.world.secrets).toHaveLength(1);
  },
);

describe("state in S3", { tags: "moto" }, () => {
  let server: S3Server;
  beforeAll(async () => {
    for (const [name, value] of Object.entries(s3Credentials)) vi.stubEnv(name, value);
    server = await startMoto();
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await server?.close();
  });

  /** Returns a new state key and a project that has been applied to it. */
  async function startInS3(): Promise<readonly [key: string, project: Project]> {
    const key = `${randomUUID()}.json`;
    const project = await startProjectAt(formatS3Location(key, server.port));
    await project.expectApplied();
    return [key, project];
  }

  const put = (key: string, text: string) =>
    server.client.send(new PutObjectCommand({ Bucket: "states", Key: key, Body: text }));

  test("is rejected if it is empty", async () => {
    const [key, project] = await startInS3();
    await put(key, "");
    for (const command of [["plan"], ["apply", "--auto-approve"]])
      await project.expectRefused(command, "is not JSON");
    expect(project.emulator.world.secrets).toHaveLength(1);
  });

  test("keeps its history next to foreign objects, such as a folder marker", async () => {
    const [key, project] = await startInS3();
    for (const name of ["", "00000NaN.json", "readme.txt", "old/99999998.json"])
      await put(`${key}.history/${name}`, "{}");
    for (const value of ["sk-two\n", "sk-three\n"]) {
      await project.write("key.txt", value);
      await project.expectApplied();
    }
    expect(await project.json("history")).toMatchObject({ records: [{}, {}, {}] });
  });
});
