/** Checks that the response to a write is compared with the whole request. */
import { expect, it } from "vitest";
import { createEmptyDataset } from "../../src/emulator/index.js";
import type { OutcomeDocument } from "../../src/output/documents/index.js";
import { matchText, startProject } from "../cli/hosting.js";
import { watchCalls } from "../state/system-calls.js";

const formatDesk = (prompt: string) => `contexts:\n  desk: { name: Desk, prompt: ${prompt} }\n`;

it("reports an undeclared field that an update did not preserve", async () => {
  const project = await startProject({
    world: createEmptyDataset(),
    files: { "avatarops.yaml": formatDesk("Be kind.") },
  });
  await project.avatarops("apply", "--auto-approve");
  const [live] = project.emulator.world.contexts;
  if (!live) throw new Error("nothing was created");
  project.emulator.editContext(live.id, {
    opening_text: "Hello!",
    links: [{ url: "https://example.com/", faq: "Home" }],
  });

  await project.write("avatarops.yaml", formatDesk("Be brief."));
  const kept = { ...live, prompt: "Be brief.", opening_text: "Hello!", links: [] };
  project.emulator.addFault({
    match: { method: "PATCH" },
    do: { kind: "status", status: 200, body: { code: 100, data: kept, message: "" }, after: true },
  });
  const ran = await project.avatarops("apply", "--auto-approve", "--format", "json");
  const { results } = JSON.parse(ran.stdout) as OutcomeDocument;
  expect(results).toMatchObject([
    {
      address: "context.desk",
      status: "failed",
      problem: {
        code: "not-as-sent",
        message: expect.stringContaining(
          "The service stored different links. Sent: 1 link. Stored: 0 links.",
        ),
      },
    },
  ]);
  // Undeclared fields are not managed.
  await project.expectNothingToDo();
});

it("sends no update for an object whose reread fails", async () => {
  const project = await startProject({
    world: createEmptyDataset(),
    files: { "avatarops.yaml": formatDesk("Be kind.") },
  });
  await project.expectApplied();
  await project.write("avatarops.yaml", formatDesk("Be brief."));
  project.emulator.addFault("GET /v1/contexts/* 500 times=always skip=1");
  const ran = await project.avatarops("apply", "--auto-approve");
  expect(ran, ran.stdout).toMatchObject({ exit: 1, stdout: matchText("HTTP 500") });
  expect(project.emulator.requests.some(({ method }) => method === "PATCH")).toBe(false);
  project.emulator.clearFaults();
  await project.expectApplied();
});

it("rereads an object if the response to its update differs from the request", async () => {
  let nowMs = Date.UTC(2026, 0, 1) + 123;
  const project = await startProject({
    world: createEmptyDataset(),
    files: { "avatarops.yaml": formatDesk("Be kind.") },
    emulator: { now: () => nowMs },
  });
  await project.expectApplied();
  const [live] = project.emulator.world.contexts;

  nowMs += 1_000;
  await project.write("avatarops.yaml", formatDesk("Be brief."));
  const answered = { ...live, prompt: "Be short.", updated_at: new Date(nowMs).toISOString() };
  project.emulator.addFault({
    match: { method: "PATCH" },
    do: { kind: "status", status: 200, body: { code: 100, data: answered, message: "" }, after: true },
  });
  expect(await project.avatarops("apply", "--auto-approve")).toMatchObject({ exit: 1 });
  await project.write("avatarops.yaml", formatDesk("Be short."));
  expect((await project.json("plan")).changes).toMatchObject([
    { action: "update", fields: [{ before: "Be brief.", after: "Be short." }] },
  ]);
});

it("writes the state of completed steps after a failed journal write", async () => {
  const project = await startProject({
    world: createEmptyDataset(),
    files: {
      "avatarops.yaml":
        "secrets:\n  key: { secret_name: Key, secret_type: LLMPROVIDER_API_KEY, secret_value: !env KEY }\n",
    },
    environment: { KEY: "a secret" },
  });
  const created = () => project.emulator.world.secrets.length === 1;
  const { result } = await watchCalls(
    () => project.avatarops("apply", "--auto-approve"),
    // Simulates a disk that is full when the response is recorded, and has space again later.
    ({ name }) => (name === "appendFile" && created() ? { refuse: "ENOSPC" } : "happens"),
  );
  expect(result).toMatchObject({ status: "fulfilled", value: { exit: 0 } });
  // A secret cannot be looked up, so a lost response would be ambiguous.
  await project.expectNothingToDo();
  expect(project.emulator.world.secrets).toHaveLength(1);
});
