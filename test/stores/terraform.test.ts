// @module-tag terraform
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openStore } from "../../src/core/state/index.js";
import { execute } from "../installing.js";
import { commitTo, createMachine, patience } from "../state/building.js";
import { credentials, gitlabPath, startHttpBackend } from "./http-backend.js";

/** Checks that Terraform's own http backend works with the test server. */
describe.each([
  ["terraform", "/states/production", "", "LOCK", "UNLOCK"],
  ["gitlab", `${gitlabPath}/production`, "/lock", "POST", "DELETE"],
] as const)("%s HTTP backend", (flavor, address, lock, lockMethod, unlockMethod) => {
  test("works with Terraform, and neither Terraform nor avatarops overwrites the other's state or lock", async () => {
    const backend = await startHttpBackend(flavor);
    onTestFinished(() => backend.close());
    const url = `http://127.0.0.1:${backend.port}${address}`;
    const folder = await mkdtemp(path.join(tmpdir(), "avatarops-http-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const settings = {
      address: url,
      lock_address: `${url}${lock}`,
      unlock_address: `${url}${lock}`,
      lock_method: lockMethod,
      unlock_method: unlockMethod,
      retry_max: 0,
    };
    await writeFile(
      path.join(folder, "main.tf.json"),
      JSON.stringify({
        terraform: { backend: { http: settings } },
        resource: { terraform_data: { a: { input: "${var.input}" } } },
        variable: { input: { default: "one" } },
      }),
    );
    const env = {
      PATH: process.env.PATH,
      HOME: folder,
      CHECKPOINT_DISABLE: "1",
      TF_IN_AUTOMATION: "1",
      ...credentials,
    };
    const terraform = (...argv: string[]) =>
      execute("terraform", [...argv, "-no-color"], { cwd: folder, env });
    const ours = openStore(url, { ...createMachine(), environment: credentials });

    const begun = await ours.lock(patience);
    expect(await terraform("init")).toMatchObject({ exit: 0 });
    const refused = await terraform("apply", "-auto-approve");
    expect([refused.exit, refused.stderr]).toEqual([1, expect.stringContaining("state already locked")]);
    await begun.release();

    expect(await terraform("apply", "-auto-approve")).toMatchObject({ exit: 0 });
    expect(await terraform("apply", "-auto-approve", "-var", "input=two")).toMatchObject({ exit: 0 });
    const stored = backend.states.get(address)?.text ?? "";
    expect(JSON.parse(stored)).toMatchObject({ serial: 2, resources: [{ type: "terraform_data" }] });
    await expect(ours.read()).rejects.toMatchObject({
      code: "corrupt",
      message: expect.stringContaining("give avatarops its own URL."),
    });
    await expect(ours.lock(patience)).rejects.toMatchObject({ code: "corrupt" });
    expect(backend.states.get(address)).toMatchObject({ text: stored });
    expect(backend.states.get(address)?.lock).toBeUndefined();

    // Terraform rejects an avatarops state.
    backend.states.clear();
    await commitTo(ours, (session) => session.completeIntent("context.a", { id: "a1", applied: {} }));
    const text = backend.states.get(address)?.text;
    expect((await terraform("plan")).exit).toBe(1);
    expect(backend.states.get(address)?.text).toBe(text);
  });
});
