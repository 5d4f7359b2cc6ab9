/** Checks that referenced objects are not deleted. */
import { describe, expect, it } from "vitest";
import { createEmptyDataset } from "../../src/emulator/index.js";
import { matchText, startProject } from "../cli/hosting.js";

const profile = "service: { profile: liveavatar }\n";
const secrets =
  "secrets:\n  llm: { secret_name: LLM, secret_type: LLM_API_KEY, secret_value: !env KEY, on_removal: delete }\n";
const at = "2026-01-01T00:00:00.000Z";
const secretId = "0b1f0c1e-52b7-4a1b-9c2d-5ee0fe120001";
const configurationId = "0b1f0c1e-52b7-4a1b-9c2d-5ee0fe120002";
const theirs = { id: secretId, secret_name: "Theirs", secret_type: "LLM_API_KEY", created_at: at };
const createConfiguration = (secret_id: string) => ({
  ...{ id: configurationId, display_name: "Theirs", model_name: "gpt-4o" },
  ...{ secret_id, base_url: null, created_at: at, updated_at: at },
});

async function start() {
  const project = await startProject({
    files: { "avatarops.yaml": profile + secrets },
    world: { ...createEmptyDataset(), secrets: [theirs], llmConfigurations: [createConfiguration(secretId)] },
    emulator: { profile: "liveavatar" },
    environment: { KEY: "sk" },
  });
  await project.expectDone("apply", "-y");
  const { world } = project.emulator;
  const ids = () => [...world.secrets, ...world.llmConfigurations].map(({ id }) => id);
  const own = world.secrets.find(({ id }) => id !== secretId)?.id ?? "";
  return { project, world, ids, own };
}

describe("secret used by a live LLM configuration", () => {
  it("is not pruned and is listed with the configuration", async () => {
    const { project, ids } = await start();
    const used = `It is used by llm_configuration ${configurationId} in the account.`;
    expect((await project.avatarops("prune")).stdout).toContain(`kept: ${used}`);
    await project.expectRefused(["prune", secretId, "-y"], used);
    expect(ids()).toContain(secretId);
  });

  it("is pruned after the configuration if both are named", async () => {
    const { project, ids, own } = await start();
    await project.expectDone("prune", secretId, configurationId, "-y");
    expect(ids()).toEqual([own]);
  });

  it("is not deleted when removed from the files", async () => {
    const { project, world, ids, own } = await start();
    Object.assign(world.llmConfigurations[0] ?? {}, createConfiguration(own));
    await project.write("avatarops.yaml", `${profile}contexts: {}\n`);
    const applied = await project.avatarops("apply", "-y");
    const why = `It is used by llm_configuration ${configurationId} in the account. Remove that reference, then apply again.`;
    expect(applied).toMatchObject({ exit: 1, stdout: matchText(why) });
    expect(ids()).toContain(own);
    world.llmConfigurations.pop();
    await project.expectDone("apply", "-y");
    expect(ids()).toEqual([secretId]);
  });

  it("is not pruned if a configuration starts to use it after the plan", async () => {
    const { project, world, ids } = await start();
    world.llmConfigurations.pop();
    const typed = () => {
      world.llmConfigurations.push(createConfiguration(secretId));
      return "yes\n";
    };
    const pruned = await project.avataropsWith({ typed }, "prune", secretId);
    expect(pruned.exit).not.toBe(0);
    expect(ids()).toContain(secretId);
  });
});
