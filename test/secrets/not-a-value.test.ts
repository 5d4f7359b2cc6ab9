/** Tests that placeholders are rejected as a key, and that the key in the account is kept. */
import { describe, expect, onTestFinished, test } from "vitest";
import { matchText, type Project, startApplied, startProject } from "../cli/hosting.js";
import { startVault } from "./stand-ins/vault.js";

const formatManifest = (source: string) =>
  `secrets:\n  llm: { secret_name: LLM, secret_type: LLMPROVIDER_API_KEY, secret_value: ${source} }\n`;
const listValues = ({ emulator }: Project) =>
  emulator.world.secrets.map(({ id }) => emulator.secretValue(id));

const refused: readonly (readonly [value: string, why: string])[] = [
  ...["null", "None", "undefined", "<no value>"].map((value) => [value, "is a word such as `null`"] as const),
  ...["***", "[MASKED]"].map((value) => [value, "is a masked value"] as const),
  ...["$(LLM_KEY)", "${LLM_KEY}", "sk-${LLM_KEY}", "${{ secrets.LLM_KEY }}", "$LLM_KEY", "%LLM_KEY%"].map(
    (value) => [value, "contains a variable that was not replaced"] as const,
  ),
  ["ENC[AES256_GCM,data:YQ==,iv:YQ==,tag:YQ==,type:str]", "is encrypted"],
  ["version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "is a Git LFS pointer"],
  ["\u001b[32msk-1\u001b[0m", "contains control characters"],
];

describe("apply", () => {
  test.for(refused)("keeps the current secret if the new value is %j", async ([K, why]) => {
    const project = await startApplied({
      files: { "avatarops.yaml": formatManifest("!env K") },
      environment: { K: "sk-good" },
    });
    const applied = await project.avataropsWith({ environment: { K } }, "apply", "--auto-approve");
    expect(applied).toMatchObject({ exit: 3, stdout: matchText(`environment variable K ${why}`) });
    expect(listValues(project)).toEqual(["sk-good"]);
  });

  test.for(refused)("does not create a secret with the value %j", async ([K]) => {
    const project = await startProject({ files: { "avatarops.yaml": formatManifest("!env K") } });
    const applied = await project.avataropsWith({ environment: { K } }, "apply", "--auto-approve");
    expect(applied.exit).toBe(1);
    expect(listValues(project)).toEqual([]);
  });

  test.for(["sk-proj_a.b/c+d=e", "a$b", "nullable", "p4$${w0rd!", "lv_***x", "#-key", "two\nlines"])(
    "sends the unusual but valid value %j",
    async (K) => {
      const project = await startProject({ files: { "avatarops.yaml": formatManifest("!env K") } });
      const applied = await project.avataropsWith({ environment: { K } }, "apply", "--auto-approve");
      expect(applied).toMatchObject({ exit: 0 });
      expect(listValues(project)).toEqual([K]);
    },
  );
});

describe("plan", () => {
  test("fails if a secret file contains ciphertext, and names the file", async () => {
    const files = {
      "avatarops.yaml": formatManifest("!file key.txt"),
      "key.txt": "ENC[AES256_GCM,data:YQ==]\n",
    };
    const project = await startProject({ files });
    const planned = await project.avatarops("plan");
    expect(planned).toMatchObject({ exit: 1, stdout: matchText("file key.txt is encrypted") });
  });

  test.for([
    ["a wrong key", { AVATAROPS_API_KEY: "wrong" }],
    ["a service that is down", { AVATAROPS_BASE_URL: "http://127.0.0.1:9" }],
  ] as const)("fails with %s even if only secrets are declared", async ([, environment]) => {
    const project = await startProject({
      files: { "avatarops.yaml": formatManifest("!env K") },
      emulator: { apiKey: "test-key" },
    });
    expect(await project.avataropsWith({ environment: { K: "sk", ...environment } }, "plan")).toMatchObject({
      exit: 1,
    });
    expect(project.emulator.requests.filter(({ method }) => method !== "GET")).toEqual([]);
  });

  test("sends a single request if only secrets are declared", async () => {
    const project = await startApplied({
      files: { "avatarops.yaml": formatManifest("!env K") },
      environment: { K: "sk" },
    });
    project.emulator.requests.splice(0);
    await project.expectNothingToDo();
    expect(project.emulator.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "GET /v1/avatars",
    ]);
  });

  test("fails if a Vault secret lacks the field", async () => {
    const vault = await startVault();
    onTestFinished(() => vault.close());
    vault.put("llm", { api_key: "sk" });
    const environment = { VAULT_ADDR: vault.url, VAULT_TOKEN: vault.token, K: "sk" };
    const project = await startProject({
      files: { "avatarops.yaml": formatManifest("!vault kv/llm#nope") },
      environment,
    });
    expect(await project.avatarops("plan")).toMatchObject({ exit: 1, stdout: matchText("no such field") });
    await project.write("avatarops.yaml", formatManifest("!env K"));
    await project.expectDone("apply", "-y");
    await project.write("avatarops.yaml", formatManifest("!vault kv/llm#nope"));
    expect(await project.avatarops("plan")).toMatchObject({ exit: 1 });
    await project.write("avatarops.yaml", formatManifest("!vault kv/llm#api_key"));
    expect(await project.avatarops("plan")).toMatchObject({ exit: 0 });
  });
});
