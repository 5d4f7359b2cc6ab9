import { describe, expect, test } from "vitest";
import { createEmptyDataset } from "../../src/emulator/index.js";
import { matchText, startProject } from "./hosting.js";

const manifest = `contexts:
  support-de: { name: Support DE, prompt: Be kind. }
  support-fr: { name: Support FR, prompt: Be kind. }
  shop: { name: Shop, prompt: Be kind. }
secrets:
  support-llm: { secret_name: llm, secret_type: LLMPROVIDER_API_KEY, secret_value: !env LLM_API_KEY }
`;

const start = () =>
  startProject({
    world: createEmptyDataset(),
    files: { "avatarops.yaml": manifest },
    environment: { LLM_API_KEY: "sk-1" },
  });

async function planTargets(...targets: string[]): Promise<string[]> {
  const project = await start();
  const flags = targets.flatMap((target) => ["--target", target]);
  const { stdout } = await project.avatarops("plan", "--format", "json", ...flags);
  return (JSON.parse(stdout) as { changes: { address: string }[] }).changes.map(({ address }) => address);
}

describe("--target with a pattern", () => {
  test.each([
    ["context.support-*", ["context.support-de", "context.support-fr"]],
    ["context.*", ["context.support-de", "context.support-fr", "context.shop"]],
    ["*.support-*", ["context.support-de", "context.support-fr", "secret.support-llm"]],
    ["*-fr", ["context.support-fr"]],
    ["context.s*p", ["context.shop"]],
  ])("selects the matching objects: %s", async (pattern, addresses) => {
    expect(await planTargets(pattern)).toEqual(addresses);
  });

  test("can be combined with addresses and selects each object once", async () => {
    expect(await planTargets("context.shop", "context.sh*", "*-de")).toEqual([
      "context.support-de",
      "context.shop",
    ]);
  });

  test.each([
    ["voice.*", 'No address matches "voice.*"'],
    ["context.shp", 'No object has the address "context.shp". Did you mean context.shop?'],
  ])("is rejected before any request if a target matches nothing: %s", async (target, says) => {
    const project = await start();
    for (const command of [["plan"], ["apply", "--auto-approve"]])
      await project.expectRefused([...command, "--target", target], says);
    expect(project.emulator.requests).toEqual([]);
  });

  test("matches objects removed from the files, and is kept in a saved plan", async () => {
    const project = await start();
    await project.avatarops("apply", "-y");
    await project.write("avatarops.yaml", manifest.replace(/ {2}support-.*Support.*\n/g, ""));
    await project.avatarops("plan", "--target", "context.support-*", "--out", "plan.json");
    expect(await project.avatarops("apply", "plan.json")).toMatchObject({
      exit: 0,
      stdout: matchText("2 applied"),
    });
    const { stdout } = await project.avatarops("state", "list");
    expect(stdout).toContain("context.shop");
    expect(stdout).not.toContain("context.support");
  });
});
