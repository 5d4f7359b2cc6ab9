import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Project, saying, startProject } from "../../cli/hosting.js";
import { type Operator, operatorOf } from "./administer.js";
import { canary } from "./run.js";
import type { VaultServer } from "./vault-server.js";

/** What the jobs of a pipeline do with secrets of the real Vault and of the stand-in. */
export function describeJobs(start: () => Promise<VaultServer>): void {
  describe("in a pipeline", () => {
    let server: VaultServer;
    let operator: Operator;
    beforeAll(async () => {
      server = await start();
      operator = operatorOf(server);
    });
    afterAll(async () => {
      await operator.close();
      await server.close();
    });

    /** A project with one secret from Vault, and what its jobs log in with. */
    async function startPipeline(version: 1 | 2) {
      const mount = await operator.newEngine(version);
      const read = ["read"];
      const [value, metadata] = version === 1 ? ["llm", "llm"] : ["data/llm", "metadata/llm"];
      const planner = await operator.newAppRole(await operator.newPolicy({ [`${mount}/${metadata}`]: read }));
      const applier = await operator.newAppRole(
        await operator.newPolicy({ [`${mount}/${value}`]: read, [`${mount}/${metadata}`]: read }),
      );
      const project = await startProject({
        files: {
          "avatarops.yaml": `secrets:
  llm:
    secret_name: llm-production
    secret_type: LLMPROVIDER_API_KEY
    secret_value: !vault ${mount}/llm#api_key
`,
        },
      });
      const settingOf = ({ mount: path, roleId, secretId }: typeof planner) => ({
        environment: {
          VAULT_ADDR: server.url,
          VAULT_AUTH_METHOD: "approle",
          VAULT_AUTH_PATH: path,
          VAULT_ROLE_ID: roleId,
          VAULT_SECRET_ID: secretId,
        },
      });
      const secrets = [planner.secretId, applier.secretId];
      return {
        project,
        secrets,
        plan: () => project.avataropsWith(settingOf(planner), "plan", "--detailed-exitcode"),
        apply: () => project.avataropsWith(settingOf(applier), "apply", "--auto-approve"),
        async rotate() {
          const secret = canary();
          secrets.push(secret);
          const data = { api_key: secret };
          if (version === 1) await operator.ask("POST", `${mount}/llm`, data);
          else await operator.ask("POST", `${mount}/data/llm`, { data });
          return secret;
        },
      };
    }

    const sent = ({ emulator }: Project) => emulator.world.secrets.map(({ id }) => emulator.secretValue(id));

    test("the plan sees a rotation by the version, with no right on values; the apply sends the new value", async () => {
      const { project, secrets, plan, apply, rotate } = await startPipeline(2);
      const first = await rotate();
      const ran = [await plan(), await apply()];
      expect(ran).toMatchObject([{ exit: 2 }, { exit: 0 }]);
      expect(await plan()).toMatchObject({ exit: 0 });

      const second = await rotate();
      const planned = await plan();
      expect(planned).toMatchObject({ exit: 2, stdout: saying("secret.llm") });
      const applied = await apply();
      expect(applied).toMatchObject({ exit: 0 });
      expect(sent(project)).toEqual([first, second]);
      const after = [await plan(), await apply()];
      expect(after).toMatchObject([{ exit: 0 }, { exit: 0 }]);
      expect(sent(project)).toEqual([first, second]);

      const files = await readdir(project.folder, { recursive: true, withFileTypes: true });
      const texts = files
        .filter((file) => file.isFile())
        .map((file) => readFile(path.join(file.parentPath, file.name), "utf8"));
      const everything = JSON.stringify([ran, planned, applied, after, await Promise.all(texts)]);
      for (const secret of secrets) expect(everything).not.toContain(secret);
    });

    test("of KV version 1, the plan compares the value", async () => {
      const { project, plan, apply, rotate } = await startPipeline(1);
      const first = await rotate();
      expect(await apply()).toMatchObject({ exit: 0 });
      expect(await plan()).toMatchObject({ exit: 0 });
      const second = await rotate();
      expect(await plan()).toMatchObject({ exit: 2 });
      expect(await apply()).toMatchObject({ exit: 0 });
      expect(sent(project)).toEqual([first, second]);
    });

    test("no token is left when a command has ended", async () => {
      const { plan, apply, rotate } = await startPipeline(2);
      await rotate();
      const before = new Set(await operator.tokens());
      await apply();
      await plan();
      expect(new Set(await operator.tokens())).toEqual(before);
    });
  });
}
