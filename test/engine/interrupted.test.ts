/** Checks how the next run resolves writes with an unknown outcome. */
import { expect, it } from "vitest";
import { createEmptyDataset, type EmulatorOptions } from "../../src/emulator/index.js";
import { createStopper, expectSuccess, matchText, type Project, startProject } from "../cli/hosting.js";

const formatDesk = (prompt: string) => `contexts:\n  desk: { name: Desk, prompt: ${prompt} }\n`;

const start = (emulator: EmulatorOptions = {}): Promise<Project> =>
  startProject({
    world: createEmptyDataset(),
    emulator,
    files: { "avatarops.yaml": formatDesk("Be kind.") },
  });

/** Account that allows duplicate names. */
const free: EmulatorOptions = { behavior: { contextNames: "free" } };

/** Starts a project whose create got no response. The search for the created object also failed. */
async function startWithLostCreate(
  fault: "drop-after" | "drop-before",
  emulator: EmulatorOptions = {},
): Promise<Project> {
  const project = await start(emulator);
  project.emulator.addFault(`POST /v1/contexts ${fault}`);
  project.emulator.addFault("GET /v1/contexts 400 skip=1");
  expect(await project.avatarops("apply", "--auto-approve")).toMatchObject({ exit: 4 });
  return project;
}

it("keeps undeclared fields after an update whose response was lost", async () => {
  const project = await start();
  await project.expectApplied();
  const [live] = project.emulator.world.contexts;
  project.emulator.editContext(live?.id ?? "", {
    opening_text: "Hello!",
    links: [{ url: "https://example.com/", faq: "Home" }],
  });

  await project.write("avatarops.yaml", formatDesk("Be brief."));
  project.emulator.addFault("PATCH /v1/contexts/* drop-after times=always");
  // The plan and the write each read the object once. Later reads fail.
  project.emulator.addFault("GET /v1/contexts/* 500 skip=2 times=always");
  expect(await project.avatarops("apply", "--auto-approve")).toMatchObject({ exit: 4 });
  project.emulator.clearFaults();

  await project.expectNothingToDo();
  await project.expectApplied();
  expect(project.emulator.world.contexts).toMatchObject([
    { prompt: "Be brief.", opening_text: "Hello!", links: [{ url: "https://example.com/", faq: "Home" }] },
  ]);
});

it.each([
  ["by the service's clock, even if the local clock is wrong", 3_600_000, "desk:"],
  ["even if its address is no longer in the files", 0, "front_desk:"],
])("waits for a create that may still be in progress %s", async (_, wrongMs, key) => {
  const project = await start();
  const now = () => Date.now() + wrongMs;
  project.emulator.addFault("POST /v1/contexts drop-before");
  const waits = { backoffMs: 1, settleMs: 0 };
  const lost = await project.avataropsWith({ now, waits }, "apply", "--auto-approve");
  expect(lost).toMatchObject({ exit: 4 });
  await project.write("avatarops.yaml", formatDesk("Be kind.").replace("desk:", key));

  // The object appears only after the first list read.
  const appear = () => project.emulator.addContext({ name: "Desk", prompt: "Be kind." });
  project.emulator.addFault({
    match: { method: "GET", path: "/v1/contexts" },
    do: { kind: "run", run: () => void setTimeout(appear, 50) },
  });
  const patient = { now, waits: { backoffMs: 1, settleMs: 3_000 } };
  await expectSuccess(project.avataropsWith(patient, "apply", "--auto-approve"));
  expect(project.emulator.requests.filter(({ method }) => method === "POST")).toHaveLength(1);
  expect(project.emulator.world.contexts.map(({ name }) => name)).toEqual(["Desk"]);
  await project.expectNothingToDo();
});

it("assigns an object to the address that created it, even if another address now declares its name", async () => {
  const project = await startWithLostCreate("drop-after");

  await project.write(
    "avatarops.yaml",
    "contexts:\n  desk: { name: Old desk, prompt: Be kind. }\n  other: { name: Desk, prompt: Be quick. }\n",
  );
  await project.expectApplied();
  expect(project.emulator.world.contexts).toMatchObject([
    { name: "Old desk", prompt: "Be kind." },
    { name: "Desk", prompt: "Be quick." },
  ]);
});

it("does not treat a create without a response as failed if the list is incomplete", async () => {
  const project = await startWithLostCreate("drop-after");

  const body = { code: 100, data: { count: 7, results: [], next: null, previous: null }, message: "" };
  project.emulator.addFault({
    match: { method: "GET", path: "/v1/contexts" },
    times: Number.POSITIVE_INFINITY,
    do: { kind: "status", status: 200, body },
  });
  expect(await project.avatarops("apply", "--auto-approve")).toMatchObject({ exit: 4 });
  project.emulator.clearFaults();
  await project.expectApplied();
  expect(project.emulator.world.contexts.map(({ name }) => name)).toEqual(["Desk"]);
});

it("accepts an undeclared address as a target if its create got no response", async () => {
  const project = await startWithLostCreate("drop-before");
  await project.write("avatarops.yaml", "drift: refuse\n");
  await project.expectApplied("--target", "context.desk");
});

it("reports an ambiguity if two identical objects match a create without a response", async () => {
  const project = await startWithLostCreate("drop-after", free);
  const [made] = project.emulator.world.contexts;
  const equal = project.emulator.addContext({ name: "Desk", prompt: "Be kind." });

  const { changes } = await project.json("plan");
  const candidates = [{ id: made?.id }, { id: equal.id }];
  expect(changes).toMatchObject([{ action: "ambiguous", reason: "answer-lost", candidates }]);
  expect(await project.avatarops("apply", "--auto-approve")).toMatchObject({ exit: 4 });
  expect(project.emulator.world.contexts).toHaveLength(2);
});

it("does not assign an object if two creates without a response match it", async () => {
  const project = await start(free);
  await project.write(
    "avatarops.yaml",
    "contexts:\n  a: { name: Desk, prompt: Be kind. }\n  b: { name: Desk, prompt: Be kind. }\n",
  );
  project.emulator.addFault("POST /v1/contexts drop-after");
  project.emulator.addFault("POST /v1/contexts drop-before");
  project.emulator.addFault("GET /v1/contexts 400 skip=1 times=2");
  expect(await project.avatarops("apply", "--auto-approve")).toMatchObject({ exit: 4 });
  expect(project.emulator.world.contexts).toHaveLength(1);

  const { changes } = await project.json("plan");
  expect(changes).toMatchObject([
    { address: "context.a", action: "ambiguous", reason: "answer-lost" },
    { address: "context.b", action: "ambiguous", reason: "answer-lost" },
  ]);
  expect(await project.avatarops("apply", "--auto-approve")).toMatchObject({ exit: 4 });
  expect(project.emulator.world.contexts).toHaveLength(1);
});

it("reports an ambiguity if two declarations match one object by name", async () => {
  const project = await start(free);
  await project.write(
    "avatarops.yaml",
    "contexts:\n  a: { name: Desk, prompt: Be kind. }\n  b: { name: Desk, prompt: Be quick. }\n",
  );
  project.emulator.addContext({ name: "Desk", prompt: "Be kind." });
  const { changes } = await project.json("plan");
  expect(changes).toMatchObject([
    { address: "context.a", action: "ambiguous", reason: "several-found" },
    { address: "context.b", action: "ambiguous", reason: "several-found" },
  ]);
  expect(await project.avatarops("apply", "--auto-approve")).toMatchObject({ exit: 4 });
  expect(project.emulator.world.contexts).toMatchObject([{ prompt: "Be kind." }]);
});

it("recognizes the object from a create without a response even if its timestamp is 30 s behind", async () => {
  const project = await start();
  project.emulator.addFault("POST /v1/contexts drop-after");
  project.emulator.addFault({
    match: { method: "GET", path: "/v1/contexts" },
    skip: 1,
    do: { kind: "run", run: ({ world: { contexts } }) => contexts.forEach(setBack) },
  });
  const setBack = (made: { created_at: string }) => {
    made.created_at = new Date(Date.parse(made.created_at) - 30_000).toISOString();
  };
  await project.expectApplied();
  expect(project.emulator.world.contexts).toHaveLength(1);
});

it("creates an accepted duplicate after a lost request even if older objects have the same name", async () => {
  const project = await start(free);
  project.emulator.addContext({ name: "Desk", prompt: "Be kind." });
  project.emulator.addContext({ name: "Desk", prompt: "Be quick." });
  project.emulator.addFault("POST /v1/contexts drop-before");
  const accepted = ["apply", "--auto-approve", "--accept-duplicate", "context.desk"];
  expect(await project.avatarops(...accepted)).toMatchObject({ exit: 4 });
  await project.expectDone(...accepted);
  expect(project.emulator.world.contexts.map(({ prompt }) => prompt)).toEqual([
    "Be kind.",
    "Be quick.",
    "Be kind.",
  ]);
});

it("finds the object from a create without a response if it appears during the search", async () => {
  const project = await start();
  project.emulator.addFault("POST /v1/contexts drop-before");
  const appear = () => project.emulator.addContext({ name: "Desk", prompt: "Be kind." });
  project.emulator.addFault({
    match: { method: "GET", path: "/v1/contexts" },
    skip: 1,
    do: { kind: "run", run: () => void setTimeout(appear, 50) },
  });
  const patient = { waits: { backoffMs: 1, settleMs: 5_000 } };
  const ran = await expectSuccess(project.avataropsWith(patient, "apply", "--auto-approve"));
  expect(ran.stderr).toEqual(matchText("waiting for context.desk, because its create got no response ("));
  expect(ran.stdout).toEqual(matchText("The response was lost, but the result was found in the account."));
  expect(project.emulator.world.contexts).toHaveLength(1);
  await project.expectNothingToDo();
});

it("stops the search for a created object when the apply is cancelled", async () => {
  const project = await start();
  const { stop, onStoppable } = createStopper();
  project.emulator.addFault("POST /v1/contexts drop-before");
  project.emulator.addFault({
    match: { method: "GET", path: "/v1/contexts" },
    skip: 1,
    do: { kind: "run", run: () => void setTimeout(() => stop("SIGINT"), 50) },
  });
  const patient = { waits: { backoffMs: 1, settleMs: 1_000_000 }, onStoppable };
  const ran = await project.avataropsWith(patient, "apply", "--auto-approve");
  expect(ran, ran.stdout + ran.stderr).toMatchObject({ exit: 130, stdout: matchText("outcome is unknown") });
  await project.expectApplied();
  expect(project.emulator.world.contexts).toHaveLength(1);
});

it("reports an object that differs from the declaration but may come from a create without a response", async () => {
  const project = await start({ behavior: { promptCutAt: 2 } });
  project.emulator.addFault("POST /v1/contexts drop-after");
  const patient = { waits: { backoffMs: 1, settleMs: 1_000_000 } };
  const ran = await project.avataropsWith(patient, "apply", "--auto-approve");
  const [made] = project.emulator.world.contexts;
  const hint = matchText(`avatarops import context.desk ${made?.id}`);
  expect(ran, ran.stdout).toMatchObject({ exit: 4, stdout: hint });
});
