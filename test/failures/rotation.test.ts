/** A secret can only be written: what tells its value changed, what cannot be told, and what stays behind. */
import { describe, expect, it } from "vitest";
import { type Project, type Setting, startProject } from "../cli/hosting.js";
import { planInShort, tell, tellWith } from "./telling.js";

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

describe("a secret's new value", () => {
  it("supersedes: a second secret is stored, and the first stays listed as stale", async () => {
    const project = await startApplied();
    const now = withKey("value-two");
    const plan = await planned(project, now);
    expect(plan.exit).toBe(2);
    expect(plan.text).toMatch(/supersede +secret\.llm .*value changed/);
    expect(await tellWith(project, now, "apply", "--auto-approve")).toMatchObject({ exit: 0 });
    expect(stored(project)).toEqual(["llm: value-one", "llm: value-two"]);
    expect((await planned(project, now)).exit).toBe(0);
    const [old, current] = project.emulator.world.secrets;
    const shown = JSON.parse((await tell(project, "state", "show", "secret.llm", "--format", "json")).stdout);
    expect(JSON.stringify(shown)).toContain(current?.id);
    expect(JSON.stringify(shown.stale ?? shown.object?.stale)).toContain(old?.id);
    expect((await tell(project, "state", "show", "secret.llm")).stdout).toContain(old?.id);
  });

  it("that is refused leaves the old one in use", async () => {
    const project = await startApplied();
    project.emulator.addFault("POST /v1/secrets 400");
    const now = withKey("value-two");
    expect(await tellWith(project, now, "apply", "--auto-approve")).toMatchObject({ exit: 1 });
    expect(stored(project)).toEqual(["llm: value-one"]);
    expect((await planned(project, withKey("value-one"))).exit).toBe(0);
    expect((await planned(project, now)).exit).toBe(2);
  });
});

describe("a secret whose value", () => {
  it("is not to be had here is kept, with a note", async () => {
    const project = await startApplied();
    for (const absent of [undefined, ""]) {
      const plan = await planned(project, withKey(absent));
      expect(plan.exit).toBe(0);
      expect(plan.text).toContain(
        "secret.llm: It is unknown whether the value changed. The environment variable LLM_API_KEY",
      );
      // A rotation that did not happen must not look like one that did.
      expect(await tellWith(project, withKey(absent), "apply", "--auto-approve")).toMatchObject({ exit: 3 });
    }
    expect(stored(project)).toEqual(["llm: value-one"]);
    expect((await planned(project, withKey("value-one"))).exit).toBe(0);
  });

  it("is not to be had cannot be made, and the plan says so beforehand", async () => {
    const project = await startProject({ files: { "avatarops.yaml": manifest() } });
    expect((await planInShort(project)).notes).toEqual([
      "The environment variable LLM_API_KEY is not set. Set it, for example from the secrets of your CI.",
    ]);
    const ran = await tell(project, "apply", "--auto-approve");
    expect(ran.exit).toBe(1);
    expect(ran.stdout).toContain("The environment variable LLM_API_KEY is not set.");
    expect(stored(project)).toEqual([]);
    expect(await tellWith(project, withKey("value-one"), "apply", "--auto-approve")).toMatchObject({
      exit: 0,
    });
    expect((await planned(project, withKey("value-one"))).exit).toBe(0);
  });
});

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

describe("a secret's new name", () => {
  it("supersedes too, as nothing of a secret can be changed", async () => {
    const project = await startApplied();
    await project.write("avatarops.yaml", manifest("llm-production"));
    const plan = await planned(project, withKey("value-one"));
    expect(plan.exit).toBe(2);
    expect(plan.text).toContain("supersede");
    expect(await tellWith(project, withKey("value-one"), "apply", "--auto-approve")).toMatchObject({
      exit: 0,
    });
    expect(stored(project)).toEqual(["llm: value-one", "llm-production: value-one"]);
    expect((await planned(project, withKey("value-one"))).exit).toBe(0);
  });

  it("needs the value: without it nothing is stored and the old one stays", async () => {
    const project = await startApplied();
    await project.write("avatarops.yaml", manifest("llm-production"));
    const ran = await tell(project, "apply", "--auto-approve");
    expect(ran.exit).toBe(1);
    expect(ran.stdout).toContain("The environment variable LLM_API_KEY is not set.");
    expect(stored(project)).toEqual(["llm: value-one"]);
    await project.write("avatarops.yaml", manifest());
    expect((await planned(project, withKey("value-one"))).exit).toBe(0);
  });
});
