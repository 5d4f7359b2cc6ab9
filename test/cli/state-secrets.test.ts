import { expect, onTestFinished, test } from "vitest";
import { startKeyring } from "../secrets/sources/keyring.js";
import { matchText, startProject } from "./hosting.js";

const day = 86_400_000;

test("shows a secret's source, version and superseded ids without sending a request", async () => {
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
  const [old, made] = project.emulator.world.secrets
    .filter((secret) => secret.secret_name === "llm-production")
    .map(({ id }) => id);
  const asked = [project.emulator.requests.length, vault.reads?.(), vault.versions?.asked()];

  const show = (...argv: string[]) => project.avataropsWith(at(15), "state", "show", ...argv);
  const { exit, stdout } = await show("secret.llm", "--format", "json");
  expect(exit).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    ...{
      format: "avatarops/state-object",
      version: 1,
      address: "secret.llm",
      id: made,
      label: "llm-production",
    },
    applied: { secret_name: "llm-production", secret_type: "LLMPROVIDER_API_KEY" },
    written_at: expect.any(String),
    write_only: [{ field: "secret_value", source: "value one of the keyring", version: "4" }],
    superseded: [{ id: old, label: "llm-production", since: expect.any(String), age_days: 12 }],
  });
  expect(await show("secret.llm")).toMatchObject({ exit: 0, stdout: matchText("(12 days ago)") });
  expect(await show("secret.tts")).toMatchObject({
    exit: 0,
    stdout: matchText("environment variable TTS_KEY"),
  });
  expect([project.emulator.requests.length, vault.reads?.(), vault.versions?.asked()]).toEqual(asked);
});
