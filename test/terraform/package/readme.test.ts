import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { emptyWorld, startEmulator } from "../../../src/emulator/index.js";
import { runIn } from "../../cli/hosting.js";
import { hasTerraform, newWorkspace } from "../terraform.js";

const [, section = ""] = /^## Terraform\n(.*?)^## /ms.exec(readFileSync("README.md", "utf8")) ?? [];

describe.skipIf(!hasTerraform)("the README's way to Terraform", () => {
  test("leads from a context that is managed in YAML to an empty plan", async () => {
    const emulator = await startEmulator({ world: emptyWorld() });
    onTestFinished(() => emulator.close());
    emulator.addContext({
      name: "Returns desk",
      prompt: "You help visitors return a bicycle.",
      opening_text: "Hi, how can I help?",
    });
    const [context] = emulator.world.contexts;
    const [, id = ""] = /terraform import \S+ (\S+)/.exec(section) ?? [];
    Object.assign(context ?? {}, { id });
    const environment = { AVATAROPS_BASE_URL: emulator.url, AVATAROPS_API_KEY: "test-key" };
    const terraform = await newWorkspace({ files: {}, environment });

    const [install = "", ...lines] = blocks("sh").flatMap((block) => block.trim().split("\n"));
    const [, command = "", file = ""] = /^avatarops (.*) > (\S+)$/.exec(install) ?? [];
    const home = path.resolve(terraform.folder, "../home");
    const installed = await runIn(terraform.folder, command.split(" "), { environment: { HOME: home } });
    await terraform.write({
      [file]: installed.stdout,
      "main.tf": blocks("hcl").join("\n"),
      "prompts/returns.md": "You help visitors return a bicycle.\n",
    });
    const said: string[] = [];
    for (const line of lines) said.push(await terraform.succeed(...line.split(" ").slice(1)));

    expect(said.at(-1)).toContain("No changes");
  });
});

function blocks(language: string): string[] {
  return [...section.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gms"))].map(
    ([, text = ""]) => text,
  );
}
