import { expect, test } from "vitest";
import { findPassages } from "../../scripts/docs/passages.js";
import { createEmptyDataset } from "../../src/emulator/index.js";
import { startProject } from "../cli/hosting.js";

test("prints the plan shown in docs/plan.md", async () => {
  const project = await startProject({
    files: {
      "avatarops.yaml": "contexts:\n  returns: { name: Returns desk, prompt: !file prompts/returns.md }\n",
      "prompts/returns.md": "You help visitors return a bicycle.\n",
    },
    world: createEmptyDataset(),
  });
  expect(await project.avatarops("apply", "--auto-approve")).toMatchObject({ exit: 0 });
  await project.write("prompts/returns.md", "You help customers return a bicycle.\n");
  const { stdout } = await project.avatarops("plan", "--format", "json");
  const [example = ""] = findPassages("docs/plan.md", "json");
  expect(normalize(stdout)).toEqual(normalize(example));
});

/** Removes ids, the port, digests and request counts, which differ between runs. */
function normalize(json: string): unknown {
  return JSON.parse(
    json
      .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID")
      .replace(/"(service)": "[^"]*"/g, '"$1": ""')
      .replace(/"(digest)": "[^"]*"/g, '"$1": ""'),
  );
}
