import { expect, it } from "vitest";
import { createEmptyDataset } from "../../src/emulator/index.js";
import { type Project, startAndApply } from "../cli/hosting.js";

const manifest = `
contexts:
  desk: { name: Desk, prompt: As declared. }
  door: { name: Door, prompt: As declared. }
`;

/** Starts an applied project and deletes its context "Desk" from the account. */
async function startWithoutDesk(contextNames: "unique" | "free"): Promise<Project> {
  const project = await startAndApply({
    files: { "avatarops.yaml": manifest },
    world: createEmptyDataset(),
    emulator: { behavior: { contextNames } },
  });
  project.emulator.removeContext("Desk");
  return project;
}

const listDesks = ({ emulator }: Project) =>
  [...emulator.world.contexts].filter(({ name }) => name === "Desk");

it.each(["unique", "free"] as const)(
  "adopts an object deleted and recreated in the dashboard (names: %s)",
  async (contextNames) => {
    const project = await startWithoutDesk(contextNames);
    const { id } = project.emulator.addContext({ name: "Desk", prompt: "Made anew." });

    const planned = await project.avatarops("plan", "--format", "json");
    expect(JSON.parse(planned.stdout).changes).toMatchObject([
      { address: "context.desk", action: "adopt", reason: "found", id },
    ]);

    expect(await project.avatarops("apply", "--auto-approve")).toMatchObject({ exit: 0 });
    expect(listDesks(project)).toMatchObject([{ id, prompt: "As declared." }]);
    await project.expectNothingToDo();
  },
);

it("reports an ambiguity if several objects were recreated", async () => {
  const project = await startWithoutDesk("free");
  project.emulator.addContext({ name: "Desk", prompt: "One." });
  project.emulator.addContext({ name: "Desk", prompt: "Two." });
  const ran = await project.avatarops("apply", "--auto-approve");
  expect(ran).toMatchObject({ exit: 4 });
  expect(listDesks(project)).toHaveLength(2);
});
