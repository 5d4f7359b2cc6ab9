// @module-tag night
/**
 * Tests scenarios that once created objects twice, with real processes of the built command. The service takes
 * seconds for a create and would accept a second object with the same name. The simulator has the same scenarios in
 * virtual time: `test/simulator/scenarios.ts`.
 */
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { generateDataset } from "../../src/emulator/index.js";
import { commitFiles, createGitEnvironment, git, newFolder } from "../git/repositories.js";
import { type Machine, type Process, startOn, waitUntil } from "./machine.js";
import { findDuplicates, newSlowService, type SlowService } from "./slow-service.js";

/** Creates a repository with contexts, shared by two machines. */
function newProject({ url }: SlowService, contexts: number, settings = "") {
  const root = newFolder();
  const repository = path.join(root, "avatars.git");
  git(root, "init", "--quiet", "--bare", "--initial-branch=main", repository);
  const lines = Array.from(
    { length: contexts },
    (_, at) => `  c${at}: { name: Desk ${at}, prompt: Be kind ${at}. }\n`,
  );
  const environment = {
    ...createGitEnvironment(root),
    ...{ TMPDIR: root, AVATAROPS_BASE_URL: url, AVATAROPS_API_KEY: "test-key" },
  };
  const clone = (name: string): Machine => {
    git(root, "clone", "--quiet", repository, name);
    return { name, folder: path.join(root, name), environment };
  };
  const laptop = clone("laptop");
  commitFiles(laptop.folder, {
    "avatarops.yaml": `${settings}contexts:\n${lines.join("")}`,
    ".gitignore": ".avatarops/\n",
  });
  git(laptop.folder, "push", "--quiet", "origin", "HEAD:main");
  return { repository, laptop, desk: clone("desk") };
}

const inGit = "state: git+refs://origin/avatarops/production\n";

function start(machine: Machine, argv: readonly string[], boot?: string): Process {
  const process = startOn(machine, argv, boot);
  onTestFinished(() => void process.child.kill("SIGKILL"));
  return process;
}

async function run(machine: Machine, ...argv: string[]) {
  const process = start(machine, argv);
  return { ...(await process.ended), output: process.output() };
}

/** Waits until this number of creates has arrived. */
async function arrive(service: SlowService, creates: number): Promise<void> {
  expect(await waitUntil(() => service.writes.length >= creates, 240_000)).toBe(true);
}

async function expectEachOnce(service: SlowService, machine: Machine, contexts: number): Promise<void> {
  expect(findDuplicates(service)).toEqual([]);
  expect(service.emulator.world.contexts).toHaveLength(contexts);
  const { exit, output } = await run(machine, "plan", "--detailed-exitcode");
  expect(exit, output).toBe(0);
}

test("creates each of 60 objects once if an apply is killed and re-run", async () => {
  const service = await newSlowService([3_000, 3_000]);
  const { laptop } = newProject(service, 60);
  const first = start(laptop, ["apply", "--auto-approve"]);
  await arrive(service, 45);
  first.child.kill("SIGKILL");
  await first.ended;
  const again = await run(laptop, "apply", "--auto-approve");
  expect(again.exit, again.output).toBe(0);
  expect(again.output).toMatch(/Waiting up to 30 s: an interrupted run may still be creating context\./);
  await expectEachOnce(service, laptop, 60);
});

test.each([
  ["on the same machine", "", ""],
  ["in a new container of the same name", "first", "second"],
])("creates each of 60 objects once if a sync dies and restarts %s", async (_, ...boots) => {
  const service = await newSlowService([6_000, 6_000]);
  const { laptop, repository } = newProject(service, 60, inGit);
  const argv = ["sync", "--repo", repository, "--listen", "127.0.0.1:0", "--interval", "1s"];
  const first = start(laptop, argv, boots[0]);
  await arrive(service, 25);
  first.child.kill("SIGKILL");
  await first.ended;
  const next = start(laptop, argv, boots[1]);
  await waitUntil(
    () => next.log().some(({ outcome = "" }) => ["applied", "unchanged"].includes(outcome)),
    280_000,
  );
  next.child.kill("SIGTERM");
  expect(await next.ended, next.output()).toMatchObject({ exit: 0 });
  await expectEachOnce(service, laptop, 60);
});

test("creates one object if an apply is killed after a long 429 wait", async () => {
  const service = await newSlowService([4_000, 4_000]);
  const { laptop } = newProject(service, 1);
  const match = { method: "POST", path: "/v1/contexts" };
  service.emulator.addFault({ match, do: { kind: "status", status: 429, headers: { "retry-after": "12" } } });
  const first = start(laptop, ["apply", "--auto-approve"]);
  await arrive(service, 2);
  first.child.kill("SIGKILL");
  await first.ended;
  const again = await run(laptop, "apply", "--auto-approve");
  expect(again.exit, again.output).toBe(0);
  await expectEachOnce(service, laptop, 1);
});

test("sends no writes when a suspended apply resumes after a colleague unlocked the state and applied", async () => {
  const service = await newSlowService([500, 500]);
  const { laptop, desk } = newProject(service, 100, inGit);
  const owner = start(laptop, ["apply", "--auto-approve"]);
  await arrive(service, 20);
  owner.child.kill("SIGSTOP");
  const unlocked = await run(desk, "state", "unlock");
  expect(unlocked.output).toContain(
    `Removed the lock owned by \`avatarops apply\` (process ${owner.pid} on laptop`,
  );
  const colleague = await run(desk, "apply", "--auto-approve");
  expect(colleague.exit, colleague.output).toBe(0);
  const sent = service.writesFrom(owner.address).length;
  owner.child.kill("SIGCONT");
  expect(await owner.ended, owner.output()).toMatchObject({ exit: 3 });
  expect(owner.output()).toContain("This run's lock on");
  expect(service.writesFrom(owner.address)).toHaveLength(sent);
  await expectEachOnce(service, desk, 100);
});

test("creates no duplicates if the list order changes with each page", async () => {
  const world = generateDataset({ contexts: 300 });
  for (const [at, context] of world.contexts.entries())
    Object.assign(context, { name: `Desk ${at}`, prompt: `Be kind ${at}.` });
  const service = await newSlowService([0, 20], { world, behavior: { listOrder: "reshuffled" } });
  const { laptop } = newProject(service, 310);
  const unsteady = await run(laptop, "apply", "--auto-approve");
  expect(unsteady.exit, unsteady.output).toBe(3);
  expect(findDuplicates(service)).toEqual([]);
  service.emulator.setBehavior({ listOrder: "created" });
  const steady = await run(laptop, "apply", "--auto-approve");
  expect(steady.exit, steady.output).toBe(0);
  await expectEachOnce(service, laptop, 310);
});
