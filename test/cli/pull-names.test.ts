import { describe, expect, test } from "vitest";
import { startProject } from "./hosting.js";

describe("pull", () => {
  test.each(["constructor", "toString", "valueOf", "hasOwnProperty"])(
    "writes dashboard edits of an object and an environment named %s",
    async (name) => {
      const manifest = `contexts:
  ${name}: { name: First, prompt: Before. }
environments:
  ${name}: { contexts: { ${name}: { name: Overridden } } }
`;
      const project = await startProject({ files: { "avatarops.yaml": manifest } });
      const environment = ["--env", name];
      await project.expectDone("apply", "-y", ...environment);
      project.emulator.editContext("Overridden", { name: "Renamed", prompt: "After." });
      await project.expectDone("pull", "-y", ...environment);
      expect(await project.read("avatarops.yaml")).toBe(
        manifest.replace("Before.", "After.").replace("Overridden", "Renamed"),
      );
      await project.expectNothingToDo(...environment);
    },
  );
});
