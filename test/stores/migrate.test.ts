import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { tools } from "../../scripts/tools.js";
import { openStore } from "../../src/core/state/index.js";
import { openBackend } from "../../src/core/state/open-backend.js";
import { matchText, type Project, startProject } from "../cli/hosting.js";
import { isLong } from "../real/long.js";
import { createEntry, createIntent, createMachine, patience } from "../state/building.js";
import { type FaultProxy, startFaultProxy } from "../state/fault-proxy.js";
import { credentials, gitlabPath, type HttpBackend, startHttpBackend } from "./http-backend.js";
import { type PostgresServer, startPostgres } from "./postgres-server.js";
import { formatS3Location } from "./s3-fixture.js";
import { type S3Server, s3Credentials, startMoto } from "./s3-servers.js";

let http: HttpBackend;
let faults: FaultProxy;
let s3: S3Server | undefined;
let database: PostgresServer | undefined;

beforeAll(async () => {
  Object.assign(process.env, s3Credentials);
  http = await startHttpBackend("gitlab");
  faults = await startFaultProxy(http.port);
  s3 = isLong && tools.moto.has() ? await startMoto() : undefined;
  database = isLong && tools.postgresql.has() ? await startPostgres() : undefined;
});

afterAll(async () => {
  for (const server of [faults, http, s3, database]) await server?.close();
});

/** Returns a new location in each store, by store name. */
const locations = {
  file: () => `.avatarops/${randomUUID()}.json`,
  git: () => `git+refs://origin/avatarops/p-${randomUUID()}`,
  http: (port = http.port) => `http://127.0.0.1:${port}${gitlabPath}/${randomUUID()}`,
  s3: () => formatS3Location(`${randomUUID()}.json`, s3?.port ?? 0),
  postgres: () => `postgres://avatarops@127.0.0.1:${database?.port}/postgres?name=${randomUUID()}`,
};

const prompt = "contexts: { a: { name: A, prompt: One } }";

/** Starts a project with its state at this location, and applies twice. */
async function startProjectAt(state: string): Promise<Project> {
  const project = await startProject({
    files: { "avatarops.yaml": `state: ${state}\n${prompt}\n` },
    environment: { ...credentials, ...(database ? { PGPASSWORD: database.password } : {}) },
  });
  const remote = `${project.folder}/.avatarops/remote.git`;
  execFileSync("git", ["init", "--quiet", "--bare", remote]);
  execFileSync("git", ["init", "--quiet"], { cwd: project.folder });
  execFileSync("git", ["remote", "add", "origin", remote], { cwd: project.folder });
  await apply(project);
  await project.write("avatarops.yaml", `state: ${state}\n${prompt.replace("One", "Two")}\n`);
  await apply(project);
  return project;
}

async function apply(project: Project): Promise<void> {
  const { exit, stderr } = await project.avatarops("apply", "--auto-approve");
  expect([exit, stderr]).toEqual([0, expect.any(String)]);
}

function formatLocation({ folder }: Project, state: string): string {
  return state.includes("://") ? state : `${folder}/${state}`;
}

function createEnvironment(project: Project) {
  return {
    // Uses the real time and random ids, because the git store creates a folder for each run and removes old folders.
    ...{ ...createMachine(), now: Date.now, newId: randomUUID },
    root: project.folder,
    environment: { ...credentials, ...(database ? { PGPASSWORD: database.password } : {}) },
  };
}

/** Reads the stored state and history. */
async function readContent(project: Project, state: string) {
  const store = await openBackend(formatLocation(project, state), createEnvironment(project));
  const history: string[] = [];
  for await (const record of store.readHistory()) history.push(record);
  return { ...(await store.read()), history };
}

/** Uses each store once as a source and once as a target. */
const directions = [
  ["file", "git"],
  ["git", "s3"],
  ["s3", "postgres"],
  ["postgres", "http"],
  ["http", "file"],
] as const;

describe.each(isLong ? directions : directions.slice(0, 1))("state migrate from %s to %s", (from, to) => {
  const uses = (store: string) => from === store || to === store;
  const tags = ["night", ...(uses("s3") ? ["moto"] : []), ...(uses("postgres") ? ["postgresql"] : [])];

  test("copies state and history unchanged and lets later runs continue", { tags }, async () => {
    const [old, next] = [locations[from](), locations[to]()];
    const project = await startProjectAt(old);
    const before = await readContent(project, old);
    expect(before.history).toHaveLength(2);
    const moved = await project.avatarops("state", "migrate", "--to", next);
    expect(moved).toMatchObject({
      exit: 0,
      stdout: matchText("and verified it: serial 2, 1 object, 2 records."),
    });
    expect(moved.stdout).toContain(`    state: ${next}\n`);
    expect(await readContent(project, next)).toEqual(before);
    expect((await readContent(project, old)).history).toEqual(before.history);

    // A branch may still name the old store.
    await project.write("avatarops.yaml", `state: ${old}\n${prompt.replace("One", "Three")}\n`);
    for (const command of [["plan"], ["apply", "--auto-approve"], ["state", "migrate", "--to", next]]) {
      const { exit, stdout, stderr } = await project.avatarops(...command);
      expect([command, exit]).toEqual([command, 1]);
      expect(stdout + stderr).toEqual(matchText("The state was moved away from"));
      // Ignores line breaks within long words.
      expect((stdout + stderr).replace(/\s+/g, "")).toContain(`\`state:${next}\``);
    }
    expect(await readContent(project, next)).toEqual(before);
    expect(project.emulator.world.contexts).toMatchObject([{ prompt: "Two" }]);
    await project.write("avatarops.yaml", `state: ${next}\n${prompt.replace("One", "Two")}\n`);
    await project.expectNothingToDo();

    // The state can move back to its old store after further applies.
    await project.write("avatarops.yaml", `state: ${next}\n${prompt.replace("One", "Three")}\n`);
    await apply(project);
    const after = await readContent(project, next);
    const back = await project.avatarops("state", "migrate", "--to", old, "--format", "json");
    expect(JSON.parse(back.stdout)).toMatchObject({ to: old, unchanged: false, records: 3 });
    expect(await readContent(project, old)).toEqual(after);
  });
});

test("moves a state to another store and back unchanged", { tags: "night" }, async () => {
  const [old, next] = [locations.file(), locations.git()];
  const project = await startProjectAt(old);
  const before = await readContent(project, old);
  await project.avatarops("state", "migrate", "--to", next);
  await project.write("avatarops.yaml", `state: ${next}\n${prompt}\n`);
  expect(await project.avatarops("state", "migrate", "--to", old)).toMatchObject({ exit: 0 });
  expect(await readContent(project, old)).toEqual(before);
});

test("moves an interrupted run's completed objects and pending writes to the new state location", async () => {
  const old = locations.http();
  const project = await startProjectAt(old);
  const session = await openStore(formatLocation(project, old), createEnvironment(project)).lock(patience);
  await session.begin(project.emulator.url);
  await session.recordIntent(createIntent("context.b"));
  session.completeIntent("context.c", createEntry("c1"));
  await session.release();
  const next = locations.http();
  expect(await project.avatarops("state", "migrate", "--to", next)).toMatchObject({
    exit: 0,
    stdout: matchText("serial 3, 2 objects, 1 unsettled write, 3 records."),
  });
  const { state } = (await openStore(next, createEnvironment(project)).read()) ?? {};
  expect(state).toMatchObject({ pending: { "context.b": {} }, objects: { "context.c": { id: "c1" } } });
});

test("resumes a state migration after a failure at any request", { tags: "night" }, async () => {
  const old = locations.file();
  const project = await startProjectAt(old);
  const before = await readContent(project, old);
  let at = 0;
  for (let requests = 1; at < requests; at++) {
    await project.write(old, before.state ?? "");
    const direct = locations.http();
    const next = direct.replace(`:${http.port}`, `:${faults.port}`);
    faults.disturb((request) => (request >= at ? "refused" : undefined));
    const { exit } = await project.avataropsWith(
      { waits: { storeMs: 50 } },
      "state",
      "migrate",
      "--to",
      next,
    );
    requests = faults.requests;
    faults.disturb(() => undefined);
    if (exit !== 0) {
      await project.avataropsWith({}, "state", "list");
      await openStore(direct, createEnvironment(project)).unlock({ force: true });
      expect(await readContent(project, old)).toEqual(before);
      expect(await project.avatarops("state", "migrate", "--to", next)).toMatchObject({ exit: 0 });
    }
    expect(await readContent(project, direct)).toEqual(before);
  }
  expect(at).toBeGreaterThan(8);
});

describe("state migrate", () => {
  test("does not overwrite another state", async () => {
    const next = locations.http();
    await startProjectAt(next);
    const project = await startProjectAt(locations.file());
    const before = await readContent(project, next);
    const { exit, stderr } = await project.avatarops("state", "migrate", "--to", next);
    expect([exit, stderr]).toEqual([1, matchText("Nothing was moved")]);
    expect(await readContent(project, next)).toEqual(before);
  });

  test("does not overwrite a later version of the same state", async () => {
    const [old, next] = [locations.file(), locations.http()];
    const project = await startProjectAt(old);
    const { state } = await readContent(project, old);
    await project.avatarops("state", "migrate", "--to", next);
    await project.write("avatarops.yaml", `state: ${next}\n${prompt.replace("One", "Three")}\n`);
    await apply(project);
    // Simulates a branch that is behind and still contains the older state.
    await project.write(old, state ?? "");
    await project.write("avatarops.yaml", `state: ${old}\n${prompt}\n`);
    expect(await project.avatarops("state", "migrate", "--to", next)).toMatchObject({
      exit: 1,
      stderr: matchText("has serial 3 of this state, but the source has serial 2"),
    });
  });

  test("does not overwrite different content with the same serial", async () => {
    const [old, next] = [locations.file(), locations.file()];
    const project = await startProjectAt(old);
    const { contexts } = project.emulator.world;
    const theirs = (await project.read(old)).replaceAll(contexts[0]?.id ?? "", randomUUID());
    await project.write(next, theirs);
    expect(await project.avatarops("state", "migrate", "--to", next)).toMatchObject({
      exit: 1,
      stderr: matchText("has serial 2 of this state, but the source has serial 2"),
    });
    expect(await project.read(next)).toBe(theirs);
    await project.expectDone("plan");
  });

  test.each<[what: string, edit: (document: { state: string; history: string[] }) => void]>([
    ["loses a record", ({ history }) => void history.pop()],
    ["changes the state", (document) => (document.state = document.state.replace("context.a", "context.z"))],
  ])("keeps the state in place if the new server %s", async (_, edit) => {
    const [old, next] = [locations.file(), locations.http()];
    const project = await startProjectAt(old);
    http.answer = ({ method }) => {
      const stored = http.states.get(new URL(next).pathname);
      if (method !== "DELETE" || !stored?.text) return undefined;
      const document = JSON.parse(stored.text);
      edit(document);
      stored.text = JSON.stringify(document);
      return undefined;
    };
    onTestFinished(() => {
      http.answer = undefined;
    });
    expect(await project.avatarops("state", "migrate", "--to", next)).toMatchObject({
      exit: 1,
      stderr: matchText("does not contain the state that was just written"),
    });
    // The state must remain in use at its old location.
    await project.expectDone("plan");
  });

  test("moves nothing to a location locked by another run", async () => {
    const next = locations.http();
    const project = await startProjectAt(locations.file());
    const hold = await openStore(next, { ...createEnvironment(project), host: "elsewhere" }).lock(patience);
    expect(await project.avatarops("state", "migrate", "--to", next)).toMatchObject({ exit: 6 });
    await hold.release();
    expect(await readContent(project, next)).toMatchObject({ state: undefined, history: [] });
  });

  test("rejects a move to the current location, and a move without a state", async () => {
    const old = locations.file();
    const project = await startProjectAt(old);
    expect(await project.avatarops("state", "migrate", "--to", old)).toMatchObject({
      exit: 1,
      stderr: matchText("is already the state location"),
    });
    await project.write("avatarops.yaml", `state: ${locations.file()}\n${prompt}\n`);
    expect(await project.avatarops("state", "migrate", "--to", locations.http())).toMatchObject({
      exit: 1,
      stderr: matchText("Nothing is managed yet"),
    });
  });
});

test.each([
  ["postgres://ci:hunter2@db.example.com/states", "PGPASSWORD"],
  ["https://hunter2@gitlab.example.com/api/v4/projects/1/terraform/state/production", "TF_HTTP_USERNAME"],
  ["https://gitlab.example.com/terraform/state/production?private_token=hunter2", "TF_HTTP_USERNAME"],
  ["https://state.example.com/production?api-key=hunter2", "TF_HTTP_USERNAME"],
  ["https://state.example.com/production?sig=hunter2", "TF_HTTP_USERNAME"],
  ["postgres:///states?host=ci:hunter2@db.example.com", "PGPASSWORD"],
  ["s3://hunter2:hunter2@states/production.json", "AWS_PROFILE"],
  ["s3://states/production.json?endpoint=key:hunter2@minio.example.com", "AWS_PROFILE"],
])("rejects the state location %s and keeps its credentials out of the output", async (state, variable) => {
  const project = await startProject({ files: { "avatarops.yaml": `state: ${state}\n${prompt}\n` } });
  const validated = await project.avatarops("validate");
  expect([validated.exit, validated.stdout + validated.stderr]).toEqual([1, matchText(variable)]);
  expect(validated.stdout + validated.stderr).toContain("credentials-in-url");
  await project.write("avatarops.yaml", `${prompt}\n`);
  const moved = await project.avatarops("state", "migrate", "--to", state);
  expect([moved.exit, moved.stderr]).toEqual([1, matchText(variable)]);
  for (const text of [validated.stdout, validated.stderr, moved.stdout, moved.stderr])
    expect(text).not.toContain("hunter2");
});

test("warns about a state server without encryption", async () => {
  const project = await startProject({
    files: { "avatarops.yaml": `state: http://states.example.com/production\n${prompt}\n` },
  });
  const { exit, stdout, stderr } = await project.avatarops("validate");
  expect([exit, stdout + stderr]).toEqual([0, matchText("warning[insecure-url]")]);
});
