/** A secret can only be written: what tells its value changed, what cannot be told, and what stays behind. */
import { describe, expect, it } from "vitest";
import { type Project, type Setting, startProject } from "../cli/hosting.js";
import { tellWith } from "./telling.js";

const manifest = (name = "llm", head = "") =>
  `${head}secrets:\n  llm: { secret_name: ${name}, secret_type: LLMPROVIDER_API_KEY, secret_value: !env LLM_API_KEY }\n`;
const withKey = (value: string | undefined, more: Record<string, string> = {}): Setting => ({
  environment: { LLM_API_KEY: value, ...more },
});

async function startApplied(text = manifest(), setting = withKey("value-one")): Promise<Project> {
  const project = await startProject({ files: { "avatarops.yaml": text } });
  expect(await tellWith(project, setting, "apply", "--auto-approve")).toMatchObject({ exit: 0 });
  return project;
}

async function planned(project: Project, setting: Setting) {
  const ran = await tellWith(project, setting, "plan", "--detailed-exitcode");
  return { exit: ran.exit, text: ran.stdout };
}

function stored({ emulator }: Project): string[] {
  return emulator.world.secrets.map(({ id, secret_name }) => `${secret_name}: ${emulator.secretValue(id)}`);
}

describe("a fingerprint_key", () => {
  const keyed = manifest("llm", "fingerprint_key: !env FINGERPRINT_KEY\n");

  it("that changed makes nothing anew: it cannot be told whether the value changed", async () => {
    const one = withKey("value-one", { FINGERPRINT_KEY: "a-long-and-random-key" });
    const other = withKey("value-two", { FINGERPRINT_KEY: "another-random-key" });
    const project = await startApplied(keyed, one);
    const plan = await planned(project, other);
    expect(plan.exit).toBe(0);
    expect(plan.text).toContain(
      "secret.llm: It is unknown whether the value changed: fingerprint_key is not the one it was recorded with.",
    );
    expect(await tellWith(project, other, "apply", "--auto-approve")).toMatchObject({ exit: 0 });
    expect(stored(project)).toEqual(["llm: value-one"]);
    expect((await planned(project, one)).exit).toBe(0);
    const rotated = withKey("value-two", { FINGERPRINT_KEY: "a-long-and-random-key" });
    expect((await planned(project, rotated)).exit).toBe(2);
  });

  it("that is not set is no reason to send the value anew", async () => {
    const project = await startApplied(
      keyed,
      withKey("value-one", { FINGERPRINT_KEY: "a-long-and-random-key" }),
    );
    expect((await planned(project, withKey("value-one"))).exit).toBe(0);
    expect(stored(project)).toEqual(["llm: value-one"]);
  });
});
