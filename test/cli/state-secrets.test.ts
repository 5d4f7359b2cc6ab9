import { expect, onTestFinished, test } from "vitest";
import { startKeyring } from "../secrets/sources/keyring.js";
import { saying, startProject } from "./hosting.js";

const day = 86_400_000;

test("state secrets lists sources, versions and stale ids with their age, and asks neither service nor vault", async () => {
  const vault = await startKeyring();
  onTestFinished(async () => vault.stop?.());
  const project = await startProject({
    files: {
      ...vault.files,
      "avatarops.yaml": `include: [keyring.ts]
contexts: { desk: { name: Desk, prompt: Be kind. } }
secrets:
  llm: { secret_name: llm-production, secret_type: LLMPROVIDER_API_KEY, secret_value: ${vault.written("one").yaml} }
  tts: { secret_name: tts, secret_type: VOICEPROVIDER_API_KEY, secret_value: !env TTS_KEY }
`,
    },
    environment: { ...vault.environment, TTS_KEY: "a-key" },
  });
  const began = Date.parse("2026-11-01T10:00:00Z");
  const at = (days: number) => ({ now: () => began + days * day });
  await vault.put("one", "first", project);
  await project.avataropsWith(at(0), "apply", "--auto-approve");
  await vault.put("one", "second", project);
  await project.avataropsWith(at(3), "apply", "--auto-approve");
  const [old, , made] = project.emulator.world.secrets.map(({ id }) => id);
  const asked = [project.emulator.requests.length, vault.reads?.(), vault.versions?.asked()];

  const { exit, stdout } = await project.avataropsWith(at(15), "state", "secrets", "--format", "json");
  expect(exit).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    format: "avatarops/state-secrets",
    secrets: [
      {
        address: "secret.llm",
        id: expect.any(String),
        label: "llm-production",
        written_at: expect.any(String),
        fields: [{ field: "secret_value", source: "value one of the keyring", version: "4" }],
        stale: [{ id: expect.any(String), label: "llm-production", since: expect.any(String), age_days: 12 }],
      },
      {
        address: "secret.tts",
        fields: [{ field: "secret_value", source: "environment variable TTS_KEY" }],
        stale: [],
      },
    ],
  });
  expect([old, made].every((id) => id && stdout.includes(id))).toBe(true);
  const text = await project.avataropsWith(at(15), "state", "secrets");
  expect(text).toMatchObject({ exit: 0, stdout: saying("(12 days ago)") });
  expect(text.stdout).not.toContain("context.desk");
  expect([project.emulator.requests.length, vault.reads?.(), vault.versions?.asked()]).toEqual(asked);
});

test("state secrets of a project without a state lists none", async () => {
  const project = await startProject({ files: { "avatarops.yaml": "contexts: {}\n" } });
  const { exit, stdout } = await project.avatarops("state", "secrets", "--format", "json");
  expect([exit, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ secrets: [] })]);
});
