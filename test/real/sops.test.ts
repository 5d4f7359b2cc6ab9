/** What test/secrets/sops.test.ts says of a stand-in, of real SOPS; and what its own commands do to versions. */
import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { currentVersion, resolve } from "../../src/secrets/index.js";
import { startSops } from "../secrets/sops/source.js";
import { describeSops } from "../secrets/sops/suite.js";
import { describeSource } from "../secrets/sources/compliance.js";
import { ageTool, hasSops, sopsTool } from "./sops.js";

describe.skipIf(!hasSops())("real SOPS", () => {
  describeSops("with real SOPS", sopsTool.program);
  describeSource("sops", () => startSops(sopsTool.program));

  test("a version stays as long as the encrypted text: through other edits and new recipients, not through a new data key", async () => {
    const root = await mkdtemp(path.join(tmpdir(), "avatarops-real-sops-"));
    onTestFinished(() => rm(root, { recursive: true, force: true }));
    const run = (program: string, ...argv: string[]) =>
      execFileSync(program, argv, {
        cwd: root,
        stdio: ["ignore", "pipe", "ignore"],
        env: { PATH: path.dirname(sopsTool.program), SOPS_AGE_KEY_FILE: "key.txt" },
      });
    run(ageTool.program, "-o", "key.txt");
    const recipient = run(ageTool.program, "-y", "key.txt").toString().trim();
    run(ageTool.program, "-o", "second.txt");
    const other = run(ageTool.program, "-y", "second.txt").toString().trim();
    await writeFile(path.join(root, "a.yaml"), "llm:\n  api_key: one\n  spare: two\n");
    run(sopsTool.program, "encrypt", "--age", recipient, "--in-place", "a.yaml");

    const source = { from: "sops", path: "a.yaml", field: "llm.api_key" };
    const environment = {
      root,
      environment: { PATH: path.dirname(sopsTool.program), SOPS_AGE_KEY_FILE: path.join(root, "key.txt") },
    };
    const version = () => currentVersion(source, environment);
    const value = async () => (await resolve(source, environment)).reveal();

    const made = await version();
    run(sopsTool.program, "set", "a.yaml", '["llm"]["spare"]', '"three"');
    await writeFile(path.join(root, ".sops.yaml"), `creation_rules: [{ age: "${recipient},${other}" }]\n`);
    run(sopsTool.program, "updatekeys", "--yes", "a.yaml");
    expect([await version(), await value()]).toEqual([made, "one"]);

    run(sopsTool.program, "set", "a.yaml", '["llm"]["api_key"]', '"four"');
    const changed = await version();
    expect(changed).not.toBe(made);
    expect(await value()).toBe("four");

    run(sopsTool.program, "rotate", "--in-place", "a.yaml");
    expect(await version()).not.toBe(changed);
    expect(await value()).toBe("four");
  });
});
