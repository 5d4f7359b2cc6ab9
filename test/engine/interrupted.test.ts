/** Writes whose end the run never learned: what the next one makes of them. */
import { expect, it } from "vitest";
import { emptyWorld } from "../../src/emulator/index.js";
import { type Project, startProject } from "../cli/hosting.js";

const desk = (prompt: string) => `contexts:\n  desk: { name: Desk, prompt: ${prompt} }\n`;

async function applied(project: Project): Promise<void> {
  const ran = await project.avatarops("apply", "--auto-approve");
  expect(ran, ran.stdout + ran.stderr).toMatchObject({ exit: 0 });
}

it("leaves undeclared fields alone after an update that was done and never answered", async () => {
  const project = await startProject({
    world: emptyWorld(),
    files: { "avatarops.yaml": desk("Be kind.") },
  });
  await applied(project);
  const [live] = project.emulator.world.contexts;
  project.emulator.editContext(live?.id ?? "", {
    opening_text: "Hello!",
    links: [{ url: "https://example.com/", faq: "Home" }],
  });

  await project.write("avatarops.yaml", desk("Be brief."));
  project.emulator.addFault("PATCH /v1/contexts/* drop-after times=always");
  // Planning and writing read it once each; after the loss nothing can be read.
  project.emulator.addFault("GET /v1/contexts/* 500 skip=2 times=always");
  expect(await project.avatarops("apply", "--auto-approve")).toMatchObject({ exit: 4 });
  project.emulator.clearFaults();

  await project.expectNothingToDo();
  await applied(project);
  await project.expectNothingToDo();
  expect(project.emulator.world.contexts).toMatchObject([
    { prompt: "Be brief.", opening_text: "Hello!", links: [{ url: "https://example.com/", faq: "Home" }] },
  ]);
});
