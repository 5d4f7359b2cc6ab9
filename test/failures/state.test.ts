/**
 * Checks that the account stays unchanged if the state is unusable or locked, and that the message explains what to do.
 */
import { mkdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type CommandResult, startAndApply, startProject } from "../cli/hosting.js";
import { applySuccessfully, listContextNames, runUnwrapped, runUnwrappedWith } from "./commands.js";

const manifest = "contexts:\n  desk: { name: Desk, prompt: Be kind. }\n";

it.each([
  ["notes.txt/state.json", "a part of its path is a file, not a folder. Correct `state:` in the manifest."],
  [
    "notes",
    "it is not a regular file. Remove it, or choose another file (`state:` in the manifest, or `--out`).",
  ],
])("stops the apply before the first request if the state is not writable: %s", async (state, says) => {
  const files = { "avatarops.yaml": `state: ${state}\n${manifest}`, "notes.txt": "", "notes/one.txt": "" };
  const project = await startProject({ files });
  const ran = await runUnwrapped(project, "apply", "--auto-approve");
  expect(ran).toMatchObject({ exit: 1, stdout: "", stderr: expect.stringContaining(says) });
  expect(project.emulator.requests).toEqual([]);
});

it("reports that the apply is not in the history if the history file is not writable", async () => {
  const project = await startAndApply({ files: { "avatarops.yaml": manifest } });
  const history = path.join(project.folder, ".avatarops/state.json.history");
  const run = async () => {
    await rename(history, `${history}.kept`);
    await mkdir(history);
  };
  await project.write("avatarops.yaml", manifest.replace("kind", "brief"));
  project.emulator.addFault({ match: { method: "PATCH", path: "/v1/contexts/*" }, do: { kind: "run", run } });
  const ran = await project.avatarops("apply", "--auto-approve");
  expect(ran).toMatchObject({
    exit: 0,
    stdout: expect.stringContaining("1 applied; 0 unchanged. 2 requests. State serial 2."),
  });
  expect(ran.stderr.replaceAll(/\s+/g, " ")).toContain(
    `The state contains every outcome of this apply, but the record of serial 2 is missing from its history. Cannot read ${history}:`,
  );
  await rm(history, { recursive: true });
  await rename(`${history}.kept`, history);
  await project.expectNothingToDo();
});

describe("state server", () => {
  // Host name that never resolves, even without a name server, because a label has at most 63 characters.
  const nowhere = `${"x".repeat(64)}.example`;
  const environment = { PGPASSWORD: "pass" };
  beforeEach(() => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", "id");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "key");
  });
  afterEach(() => void vi.unstubAllEnvs());

  const createLocations = (host: string) => [
    `http://${host}/state`,
    `postgres://ada@${host}/data?name=a`,
    `s3://bucket/state.json?region=eu-central-1&endpoint=http://${host}`,
  ];

  it.each(createLocations(nowhere))("is reported at once if its host does not exist: %s", async (state) => {
    const project = await startProject({ files: { "avatarops.yaml": `state: ${state}\n${manifest}` } });
    const ran = await runUnwrappedWith(project, { environment, waits: { storeMs: 600_000 } }, "plan");
    expect(ran).toMatchObject({ exit: 1, stdout: "" });
    expect(ran.stderr).toContain("error[unreachable]");
    expect(ran.stderr).not.toContain("Retrying");
  });

  it.each(createLocations("127.0.0.1:1"))(
    "is reported quickly if it refuses the first connection: %s",
    async (state) => {
      const project = await startProject({ files: { "avatarops.yaml": `state: ${state}\n${manifest}` } });
      const ran = await runUnwrappedWith(project, { environment, waits: { storeMs: 6_000 } }, "plan");
      expect(ran).toMatchObject({ exit: 1, stdout: "" });
      expect(ran.stderr).toContain("The store does not respond. Retrying for up to 1 s.");
      expect(ran.stderr).toContain("error[unreachable]");
    },
  );
});

// For the error message, see test/state/lock.test.ts.
it("rejects a second command on a locked state, or waits with --lock-timeout", async () => {
  const project = await startAndApply({ files: { "avatarops.yaml": manifest } });
  await project.write("avatarops.yaml", `${manifest}  shop: { name: Shop, prompt: Be brief. }\n`);
  const others: Promise<CommandResult>[] = [];
  project.emulator.addFault({
    match: { method: "POST" },
    do: {
      kind: "run",
      async run() {
        const apply = ["apply", "--auto-approve"];
        others.push(runUnwrapped(project, ...apply, "--format", "json"), runUnwrapped(project, "plan"));
        await Promise.all(others);
        others.push(runUnwrapped(project, ...apply, "--lock-timeout", "30s"));
        // Gives the waiting apply time to find the lock.
        await new Promise((resolve) => setTimeout(resolve, 200));
      },
    },
  });
  await applySuccessfully(project);
  const [refused, planned, waited] = await Promise.all(others);
  expect(refused).toMatchObject({ exit: 6, stderr: "" });
  expect(JSON.parse(refused?.stdout ?? "")).toMatchObject({ format: "avatarops/error", code: "locked" });
  expect(planned).toMatchObject({ exit: 0, stderr: expect.stringContaining("locked by") });
  expect(waited).toMatchObject({ exit: 0, stdout: expect.stringContaining("Nothing to do") });
  expect(waited?.stderr).toContain("Waiting, because the state has been locked by `avatarops apply` since ");
  expect(listContextNames(project)).toEqual(["Desk", "Shop"]);
  await project.expectNothingToDo();
});
