/** Tests that placeholders are rejected as a key, and that the key in the account is kept. */
import { createHash } from "node:crypto";
import { describe, expect, onTestFinished, test } from "vitest";
import { findReasonNotAValue } from "../../src/core/secrets/index.js";
import { matchText, type Project, startAndApply, startProject } from "../cli/hosting.js";
import { startVault } from "./stand-ins/vault.js";

const formatManifest = (source: string) =>
  `secrets:\n  llm: { secret_name: LLM, secret_type: LLMPROVIDER_API_KEY, secret_value: ${source} }\n`;
const listValues = ({ emulator }: Project) =>
  emulator.world.secrets.map(({ id }) => emulator.secretValue(id));

const refused: readonly (readonly [value: string, why: string])[] = [
  ...["null", "None", "undefined", "<no value>"].map((value) => [value, "is `null` or similar"] as const),
  ...["***", "[MASKED]"].map((value) => [value, "is a masked value"] as const),
  ...["$(LLM_KEY)", "${LLM_KEY}", "${{ secrets.LLM_KEY }}"].map(
    (value) => [value, "contains a variable that was not replaced"] as const,
  ),
  [
    "#{LLM_KEY}",
    "contains a variable that was not replaced: `#{LLM_KEY}` (Octopus Deploy, replace-tokens). Set it in the pipeline",
  ],
  ["<YOUR_API_KEY>", "is a placeholder"],
  ["op://Production/LLM/credential", "is a reference to a secret"],
  ["ENC[AES256_GCM,data:YQ==,iv:YQ==,tag:YQ==,type:str]", "is encrypted"],
  ["version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "is a Git LFS pointer"],
  ["\u001b[32msk-1\u001b[0m", "contains control characters"],
];

describe("apply", () => {
  test.for(refused)("keeps the current secret if the new value is %j", async ([K, why]) => {
    const project = await startAndApply({
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

  test.for(["sk-proj_a.b/c+d=e", "a$b", "nullable", "p4$${w0rd!", "lv_**x", "#-key", "two\nlines"])(
    "sends the unusual but valid value %j",
    async (K) => {
      const project = await startProject({ files: { "avatarops.yaml": formatManifest("!env K") } });
      const applied = await project.avataropsWith({ environment: { K } }, "apply", "--auto-approve");
      expect(applied).toMatchObject({ exit: 0 });
      expect(listValues(project)).toEqual([K]);
    },
  );
});

/** Widely used placeholders for a key, grouped by the reported problem. */
const notKeys: Readonly<Record<string, readonly string[]>> = {
  "masked value": [
    ...["********1234", "sk-proj-****abcd", "sk-abc***xyz", "1234****", "••••••••", "sk-••••abcd"],
    ...[
      "sk-...abcd",
      "sk-…abcd",
      "AIza...",
      "sk-xxxxxxxxxxxxxxxx",
      "XXXXXXXX-XXXX",
      "<redacted>",
      "[secure]",
    ],
  ],
  placeholder: [
    ...[
      "<YOUR_API_KEY>",
      "<your key here>",
      "<api-key>",
      "[YOUR_API_KEY]",
      "YOUR_API_KEY",
      "your-api-key-here",
    ],
    ...["sk-your-key-here", "your_openai_api_key", "insert-your-key", "changeme", "CHANGE_ME", "TODO"],
    ...["__LLM_KEY__", "replace-me", "sk-placeholder"],
  ],
  variable: [
    ...["sk-${LLM_KEY}", "$LLM_KEY", "%LLM_KEY%", "$env:LLM_KEY", "${LLM_KEY:-none}", "${env:LLM_KEY}"],
    ...[
      "${ssm:/team/llm}",
      "$(cat key.txt)",
      "$[variables.LLM_KEY]",
      "${{secrets.LLM_KEY}}",
      "sk-$(LLM_KEY)",
    ],
    ...["#{KEY}#", "#{Llm.Key}", "{{ llm_key }}", "{{resolve:secretsmanager:llm}}", "sk-{{ .Values.key }}"],
    ...["{{{key}}}", "@LLM_KEY@", "@@LLM_KEY@@", "((llm-key))", "{llm_key}", "process.env.LLM_KEY"],
    ...["secrets.LLM_KEY", "var.llm_key", 'os.environ["LLM_KEY"]'],
  ],
  "reference to a secret": [
    ...["op://vault/item/field", '"op://vault/item/field"', "op://Private/me@example.com/password"],
    ...[
      "ref+vault://secret/llm#/key",
      "secretref+awssecrets://llm",
      "sk-ref+gcpsecrets://p/llm+",
      "vault://kv/llm",
    ],
    ...[
      "vault:secret/data/llm#key",
      ">>vault:secret/data/llm#key",
      "arn:aws:secretsmanager:eu-west-1:1:secret:llm",
    ],
    ...["arn:aws-us-gov:ssm:us-gov-west-1:1:parameter/llm", "projects/team/secrets/llm/versions/latest"],
    ...[
      "gcp:secretmanager:projects/team/secrets/llm",
      "//secretmanager.googleapis.com/projects/1/secrets/llm",
    ],
    ...["@Microsoft.KeyVault(SecretUri=https://team.vault.azure.net/secrets/llm/)", "secretref:llm-key"],
    ...["https://team.vault.azure.net/secrets/llm", "sm://team/llm", "sm@team/llm", "berglas://team/llm"],
    ...[
      "infisical://llm",
      "keeper://id/field/password",
      "pass://vault/item/field",
      "bws://id",
      "awssm://llm",
    ],
    ...["file:///run/secrets/llm", "/run/secrets/llm", "env://LLM_KEY", "!env LLM_KEY", "!vault kv/llm#key"],
  ],
  encrypted: [
    ...[
      "ENC[PKCS7,MIIBeQ==]",
      "ENC(abc)",
      "{cipher}00aa",
      "vault:v1:abc=",
      "U2FsdGVkX1+abc=",
      "$ANSIBLE_VAULT;1.1",
    ],
  ],
};

/** Values in the formats of real providers. */
const keys = [
  "sk-proj-Ab3_-9ZxYw8vUt7SrQp6OnMl5KjIh4GfEd3CbA2-T3BlbkFJ0123456789abcdefghijklmnopqrstuv_A",
  "sk-ant-api03-R2D2_c3po-xX7yY8zZ9aA0bB1cC2dD3eE4fF5gG6hH7iI8jJ9kK0lL1mM2nN3oO4pP5qQ-AA",
  "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",
  ...[
    "sk_V2_hgu_kAbCdEfGhIj_0123456789",
    "sk_car_Ab12Cd34Ef56Gh78",
    "gsk_Ab12Cd34Ef56Gh78Ij90",
    "xai-Ab12Cd34Ef56",
  ],
  ...[
    "AIzaSyA1b2C3d4E5f6G7h8I9j0K-L_m1N2o3P4q",
    "hf_AbCdEfGhIjKlMnOpQrStUvWxYz",
    "r8_Ab12Cd34Ef56",
    "pplx-0a1b2c3d",
  ],
  ...[
    "0123456789abcdef0123456789abcdef",
    "00000000-0000-4000-8000-000000000000",
    "6f1ed002ab5595859014ebf0951522d9",
  ],
  ...[
    "MzQ1ZjY3ODkwYWJjZGVmMTIzNDU2Nzg5MC0xNzE1MDAwMDAw",
    "dGVzdA==",
    "a+b/c=",
    "/Ab+cD/eF==",
    "AKIAIOSFODNN7EXAMPLE",
  ],
  ...[
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl-_",
    "pk_live_51Ab",
    "xoxb-1-2-Ab",
    "ghp_Ab12",
    "glpat-Ab_1-2",
  ],
  ...[
    "APIabcDEF123",
    "key-0a1b",
    "SG.Ab1.Cd2_Ef-3",
    "AC0a1b:secret",
    "Bearer sk-Ab12",
    "user:pa$$word",
    "p@ss*word",
    "a..b",
  ],
  ...[
    "vault-Ab12",
    "opAb12",
    "secret",
    "projects-1",
    "env-Ab12",
    "your",
    "todo-list-2031",
    "100%sure%",
    "<3-hearts",
    "a{b}c",
  ],
  ...[
    "https://hooks.example.com/services/T0/B0/Ab12",
    "postgres://ops:pa55@db.example.com/llm",
    "AGE-SECRET-KEY-1AB",
  ],
  '{"type":"service_account","private_key":"-----BEGIN PRIVATE KEY-----\\nAb+/12==\\n-----END PRIVATE KEY-----\\n","a":{"b":{}}}',
  "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----\n",
];

describe("findReasonNotAValue", () => {
  const table = Object.entries(notKeys).flatMap(([problem, values]) =>
    values.map((value) => [value, problem] as const),
  );
  test.for(table)("rejects %j as a %s", ([value, problem]) => {
    for (const text of [value, `${value}\n`]) expect(findReasonNotAValue(text)).toContain(problem);
  });

  test.for<[text: string, shown: string]>([
    ["#{LLM_KEY}#", "`#{LLM_KEY}#` (Octopus Deploy, replace-tokens)"],
    ["${{ secrets.LLM_KEY }}", "`${{ secrets.LLM_KEY }}` (GitHub Actions"],
    ["{{ llm_key }}\n", "`{{ llm_key }}` (Helm"],
    ["$(LlmKey)", "`$(LlmKey)` (Azure Pipelines"],
    ["$[variables.LLM]", "`$[variables.LLM]` (Azure Pipelines"],
    ["Bearer #{LLM_KEY}", "`#{…}` (Octopus Deploy"],
    ["${sk_live_51Hb2canary}", "`${…}` (shells"],
    ["$canary", "`$…` (shells)"],
  ])("names the variable in %j unless it may be part of a key", ([text, shown]) => {
    const reason = findReasonNotAValue(text);
    expect(reason).toContain(`contains a variable that was not replaced: ${shown}`);
    expect(reason).not.toContain("canary");
  });

  test.for(keys)("accepts the key %j", (key) => expect(findReasonNotAValue(key)).toBeUndefined());

  test("accepts random keys", () => {
    const all = ["hex", "base64", "base64url"] as const;
    for (const encoding of all)
      for (let n = 0; n < 3_000; n++) {
        const key = createHash("sha512").update(`${encoding}${n}`).digest(encoding);
        for (const prefix of ["", "sk-", "sk_"])
          expect(findReasonNotAValue(prefix + key), key).toBeUndefined();
      }
  });
});

describe("plan", () => {
  test("reports an unreplaced variable in the API key and suggests a fix", async () => {
    const project = await startProject({
      files: { "avatarops.yaml": formatManifest("!env K") },
      environment: { AVATAROPS_API_KEY: "#{AVATAR_KEY}#" },
    });
    const message =
      "environment variable AVATAROPS_API_KEY contains a variable that was not replaced: `#{AVATAR_KEY}#` (Octopus Deploy, replace-tokens). Set it in the pipeline, and check the step that replaces it.";
    await project.expectRefused(["plan"], message);
  });

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
    const project = await startAndApply({
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
