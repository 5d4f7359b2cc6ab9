import { beforeEach, expect, onTestFinished, test } from "vitest";
import { openStore, type StoreEnvironment } from "../../src/core/state/index.js";
import { matchText, startProject } from "../cli/hosting.js";
import { createMachine, patience } from "../state/building.js";
import { credentials, gitlabPath, type HttpBackend, startHttpBackend } from "./http-backend.js";

/* GitLab shows only the ID of a lock, which has up to 255 characters. */

const path = `${gitlabPath}/locked`;
let backend: HttpBackend;
beforeEach(async () => {
  backend = await startHttpBackend("gitlab");
  onTestFinished(() => backend.close());
});

const container = {
  environment: credentials,
  host: "h".repeat(64),
  bootId: "ba5fe869-498d-4ed9-ad80-91c3688d6671",
  pidNamespace: "4026532177",
  machineId: "e093211dbe2c47d39d6d21c64c46fc38",
};

/** Locks the state from a machine with this identity. */
const lockAs = (pid: number, environment: Partial<StoreEnvironment>) =>
  openStore(`http://127.0.0.1:${backend.port}${path}`, { ...createMachine(pid), ...environment }).lock(
    patience,
  );

test.each<[string, Partial<StoreEnvironment>, Partial<StoreEnvironment>]>([
  ["container", container, container],
  [
    "machine before its restart",
    { ...container, pidNamespace: "4026531836" },
    { ...container, pidNamespace: "4026531836", bootId: "next" },
  ],
  ["container with a non-ASCII host name", { ...container, host: "é".repeat(64) }, container],
  ["system without boot ids", { environment: credentials }, { environment: credentials }],
])("takes over an ended run's HTTP lock in the same %s", async (_, holder, environment) => {
  await lockAs(2, holder);
  expect(String(backend.states.get(path)?.lock?.ID)).toMatch(/^id-2-1~.{10,248}$/);
  await (await lockAs(1, environment)).release();
});

test.each<[string, Partial<StoreEnvironment>, Partial<StoreEnvironment>]>([
  ["in another container", container, { ...container, pidNamespace: "4026532178" }],
  ["on another machine with the same name", container, { ...container, bootId: "other", machineId: "other" }],
  ["with an unreadable boot id", { ...container, bootId: "" }, { ...container, bootId: "" }],
])("respects the HTTP lock of a run %s", async (_, holder, environment) => {
  await lockAs(2, holder);
  await expect(lockAs(1, environment)).rejects.toThrow("avatarops state unlock");
});

const contexts = "contexts: { a: { name: A, prompt: One } }";

test("reports a lock that the server refuses to remove, after an apply and each time by `state unlock`", async () => {
  const plain = await startHttpBackend("terraform");
  onTestFinished(() => plain.close());
  const project = await startProject({
    files: { "avatarops.yaml": `state: http://127.0.0.1:${plain.port}/states/kept\n${contexts}\n` },
    environment: credentials,
  });
  plain.answer = ({ method }) => (method === "UNLOCK" ? { status: 423, text: "Denied" } : undefined);
  expect(await project.avatarops("apply", "--auto-approve")).toMatchObject({
    exit: 0,
    stderr: matchText("could not be released"),
  });
  for (let time = 1; time <= 2; time++)
    await project.expectRefused(
      ["state", "unlock", "--force"],
      "the server did not remove the lock (423: Denied). Correct `unlock_address` and `unlock_method` in `state:`, or fix the server.",
    );
  plain.answer = undefined;
  await project.expectDone("state", "unlock", "--force");
  expect(plain.states.get("/states/kept")?.lock).toBeUndefined();
  await project.expectApplied();
});

test("reports a lock that `state unlock` removed without effect", async () => {
  await lockAs(2, { ...container, machineId: "another" });
  const project = await startProject({
    files: { "avatarops.yaml": `state: http://127.0.0.1:${backend.port}${path}\n${contexts}\n` },
    environment: credentials,
  });
  backend.answer = ({ method }) => (method === "DELETE" ? { status: 200 } : undefined);
  await project.expectRefused(["state", "unlock"], "the server did not remove the lock (200).");
});

test("releases the lock without a warning if the response to the release is lost", async () => {
  const project = await startProject({
    files: { "avatarops.yaml": `state: http://127.0.0.1:${backend.port}${path}\n${contexts}\n` },
    environment: credentials,
  });
  let releases = 0;
  backend.answer = ({ method, socket }) => {
    const isLast = backend.requests.some((request) => request.startsWith(`POST ${path}?`));
    if (method !== "DELETE" || !isLast || releases++ > 0) return undefined;
    delete backend.states.get(path)?.lock;
    socket.destroy();
    return { status: 200 };
  };
  const { stderr } = await project.expectDone("apply", "--auto-approve");
  expect(stderr).not.toContain("released");
  expect(releases).toBeGreaterThan(1);
  expect(backend.states.get(path)?.lock).toBeUndefined();
});
