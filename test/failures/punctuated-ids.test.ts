/** Tests a service whose ids contain punctuation. Deletes are recorded with the id in the address. */
import { expect, it } from "vitest";
import { createEmptyDataset } from "../../src/emulator/index.js";
import { expectSuccess, startProject } from "../cli/hosting.js";
import { applySuccessfully, runUnwrapped, runUnwrappedWith } from "./commands.js";

const manifest = `service: { profile: liveavatar }
secrets:
  llm: { secret_name: LLM, secret_type: LLM_API_KEY, secret_value: !env KEY, on_rotation: delete_old }
`;

async function start() {
  let count = 0;
  const newId = () => `sec.eb03~x:y@1+2=3,${++count}`;
  const project = await startProject({
    ...{ files: { "avatarops.yaml": manifest }, world: createEmptyDataset() },
    ...{ emulator: { profile: "liveavatar", newId }, environment: { KEY: "old" } },
  });
  await applySuccessfully(project);
  return project;
}

it("records the delete of a superseded secret in the history", async () => {
  const project = await start();
  const [old] = project.emulator.world.secrets;
  await expectSuccess(runUnwrappedWith(project, { environment: { KEY: "new" } }, "apply", "-y"));
  expect(project.emulator.world.secrets).toHaveLength(1);
  const history = await expectSuccess(runUnwrapped(project, "history"));
  expect(history.stdout).toMatch(new RegExp(`deleted +secret\\.${old?.id.replace(/[.+]/g, "\\$&")} `));
  expect(history.stdout + history.stderr).not.toContain("damaged");
});

it("can be used after an interrupted delete", async () => {
  const project = await start();
  const undeclared = { id: "sec.un~declared:1", secret_name: "Other", secret_type: "LLM_API_KEY" };
  project.emulator.world.secrets.push({ ...undeclared, created_at: "2026-01-01T00:00:00.000Z" });
  project.emulator.addFault("DELETE /v1/secrets/* drop-before times=always");
  project.emulator.addFault("GET /v1/secrets drop-before skip=2 times=always");
  expect(await runUnwrapped(project, "prune", "-y", undeclared.id)).toMatchObject({ exit: 4 });
  project.emulator.clearFaults();
  expect(await project.read(".avatarops/state.json")).toContain(`"secret.${undeclared.id}": {`);
  await expectSuccess(runUnwrapped(project, "state", "list"));
  await expectSuccess(runUnwrapped(project, "prune", "-y", undeclared.id));
  await project.expectNothingToDo();
});
