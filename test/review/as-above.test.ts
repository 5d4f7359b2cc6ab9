// @module-tag ci
/** Tests that a comment shows a change in several environments once, even if other changes differ. */
import { expect, test } from "vitest";
import { startProject } from "../cli/hosting.js";
import { createDeskFiles, createEnvironmentFiles, createPromptFile, reviewChange } from "./desks.js";

const createFiles = (night: string, desk = "Hi", key = "STAGING_KEY") => ({
  "avatarops.yaml": `environments:
  staging: { state: s.json, contexts: { desk: { name: Desk S }, night: { name: Night S } } }
  production: { state: p.json }
secrets:
  llm: { secret_name: llm, secret_type: LLMPROVIDER_API_KEY, secret_value: !env ${key} }
contexts:
  desk: { name: Desk, prompt: ${desk} }
  night: { name: Night, prompt: ${night} }
`,
});

const start = async () => {
  const environment = { STAGING_KEY: "first-key", OTHER_KEY: "other-key" };
  const project = await startProject({ files: createFiles("Sleep."), environment });
  for (const env of ["staging", "production"]) await project.expectDone("apply", "-y", "--env", env);
  const review = async (after: ReturnType<typeof createFiles>) => {
    await project.write("avatarops.yaml", after["avatarops.yaml"]);
    const { stdout } = await project.avatarops("review", "--all", "--dry-run");
    const [, staging = "", production = ""] = stdout.split("## Project");
    return { staging, production };
  };
  return { project, review };
};

test("replaces a production change with a reference to the same change in staging, even if another object has a dashboard edit", async () => {
  const { project, review } = await start();
  project.emulator.editContext("Desk S", { prompt: "Edited." });
  const { staging, production } = await review(createFiles("Dream.", "Hello"));
  expect(staging).toContain("<del>Sleep.</del><strong> Dream.</strong>");
  expect(staging).toContain("**conflicting: edited here and elsewhere since the last apply**");
  expect(production).toContain("As in `staging`: `context.night`.\n");
  expect(production).not.toContain("Dream");
  expect(production).toContain("<del>Hi</del><strong> Hello</strong>");
});

test.each([
  ["alone", "Sleep.", "The same changes as in `staging`.\n"],
  ["next to another change", "Dream.", "The same changes as in `staging`.\n"],
  ["next to a dashboard edit", "Dream.", "As in `staging`: `context.late`.\n"],
])(
  "shows a new object under staging, and only its different name under production (%s)",
  async (what, night, same) => {
    const { project, review } = await start();
    if (what.includes("dashboard")) project.emulator.editContext("Night S", { prompt: "Edited." });
    const text = createFiles(night)["avatarops.yaml"].replace(
      "night: { name: Night S }",
      "$&, late: { name: Late S }",
    );
    const late =
      "  late: { name: Late, prompt: Never be late. }\n  early: { name: Early, prompt: Be early. }\n";
    const { staging, production } = await review({ "avatarops.yaml": text + late });
    expect(staging).toContain("`Late S`");
    for (const prompt of ["Never be late.", "Be early."]) {
      expect(staging).toContain(prompt);
      expect(production).not.toContain(prompt);
    }
    expect(production).toContain(same.replace("`context.late`", "`context.late`, `context.early`"));
    expect(production).toContain("Other names: `context.late` is `Late`.\n");
    expect(production).not.toContain("Late S");
  },
);

test("shows a changed secret for each environment in a review, but a changed prompt only once", async () => {
  const { review } = await start();
  const { staging, production } = await review(createFiles("Dream.", "Hi", "OTHER_KEY"));
  expect(staging).toContain("<del>Sleep.</del><strong> Dream.</strong>");
  expect(production).toContain("As in `staging`: `context.night`.\n");
  expect(production).not.toContain("Dream");
  for (const shown of [staging, production]) expect(shown).toContain("`secret.llm`");
});

test("shows a changed sentence once in a review if environments differ only in the rest of the prompt", async () => {
  const environments = ["staging", "production"];
  const before = createDeskFiles(["orders"], createEnvironmentFiles(["orders"]));
  const text = createPromptFile("orders").replace("You help with orders", "$& and exchanges");
  const comment = await reviewChange(
    before,
    { "prompts/orders.md": text },
    { environments, argv: ["--all"] },
  );
  expect(comment.split("and exchanges")).toHaveLength(2);
  expect(comment).toContain("The same changes as in `staging`.");
});

test("shows a changed sentence for each environment if a variable's value differs", async () => {
  const environments = ["staging", "production"];
  const before = createDeskFiles(["orders"], createEnvironmentFiles(["orders"]));
  const text = createPromptFile("orders").replace("A return costs {{price}}", "$& and no more");
  const comment = await reviewChange(
    before,
    { "prompts/orders.md": text },
    { environments, argv: ["--all"] },
  );
  expect(comment).toContain("9 EUR<strong> and no more</strong>");
  expect(comment).toContain("10 EUR<strong> and no more</strong>");
});
