// @module-tag ci
/** Tests a secret that is rotated between the review and the merge of another change. */
import { expect, test } from "vitest";
import { expectSuccess } from "../cli/hosting.js";
import { listOutcomes, listPrompts, merge, startChange } from "./change.js";

const createFiles = (prompt: string, variable = "LLM_KEY") => ({
  "avatarops.yaml": `contexts: { desk: { name: Desk, prompt: ${prompt} } }
secrets:
  llm: { secret_name: LLM, secret_type: LLMPROVIDER_API_KEY, secret_value: !env ${variable} }
`,
});

/** Applies a prompt, then reviews and merges another prompt. */
async function startMergedChange(variable?: string) {
  const change = await startChange("github", createFiles("Be kind."), {
    LLM_KEY: "key-one",
    OTHER_KEY: "key-two",
  });
  await change.project.expectDone("apply", "--auto-approve");
  await change.project.write("avatarops.yaml", createFiles("Be brief.")["avatarops.yaml"]);
  change.commit();
  await expectSuccess(change.review());
  if (variable !== undefined)
    await change.project.write("avatarops.yaml", createFiles("Be brief.", variable)["avatarops.yaml"]);
  merge(change);
  return change;
}

test("applies a reviewed change and sends a secret value that was rotated after the review", async () => {
  const change = await startMergedChange();
  await expectSuccess(change.apply({ LLM_KEY: "key-two" }));
  expect(listPrompts(change)).toEqual(["Be brief."]);
  // The service cannot update a value, so apply creates a new secret.
  expect(change.project.emulator.world.secrets).toHaveLength(2);
  const [outcome = ""] = listOutcomes(change.world);
  expect(outcome.match(/need no review/g)).toHaveLength(1);
  expect(outcome).toContain(
    "- `secret.llm`: The value was rotated at its source since the last apply. Rotations need no review.\n",
  );
});

test("does not mention reviews if apply runs without --reviewed after a secret rotation", async () => {
  const change = await startMergedChange();
  const job = { environment: { LLM_KEY: "key-two" } };
  const ran = await expectSuccess(change.project.avataropsWith(job, "apply", "--auto-approve"));
  expect(ran.stdout).toMatch(/superseded +secret\.llm/);
  expect(ran.stdout).not.toContain("review");
});

test("rejects an unreviewed change to a secret source", async () => {
  const change = await startMergedChange("OTHER_KEY");
  expect(await change.apply()).toMatchObject({ exit: 5, stderr: expect.stringContaining("secret.llm") });
  expect(listPrompts(change)).toEqual(["Be kind."]);
});
