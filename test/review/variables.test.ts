// @module-tag ci
/** Tests that a comment shows a changed variable once, with its old and new value. */
import { expect, test } from "vitest";
import {
  createDeskFiles,
  createEnvironmentFiles,
  createPromptFile,
  type Files,
  patient,
  patientShown,
  readClosed,
  reviewChange,
  two,
} from "./desks.js";

/** Returns the plan between its heading and the service line. */
const readPlan = (comment: string, section = 0) =>
  (comment.split("### Plan: ")[section + 1] ?? "").split("\nService ")[0] ?? "";

test("shows a changed variable once, with both values, its line and one prompt that uses it", async () => {
  const environments = ["staging", "production"];
  const before = createDeskFiles(two, createEnvironmentFiles(two));
  const change = (text = "") => text.replace("9 EUR", "11 EUR");
  const comment = await reviewChange(
    before,
    { "avatarops.yaml": change(before["avatarops.yaml"]) },
    { environments, argv: ["--all"] },
  );
  expect(comment).toMatch(
    /^\*\*update\*\* variable `price` `9 EUR` → `11 EUR` in `avatarops\.yaml`, line \[2\].*, in 2 objects: `context\.returns`, `context\.orders`$/m,
  );
  expect(comment.split("<details")).toHaveLength(2);
  expect(comment).toContain("A return costs <del>9</del><strong> 11</strong> EUR.");
  expect(comment).not.toMatch(/^\||The same edit as in/m);
});

test("shows a changed partial and a changed variable once each, with a single prompt as an example", async () => {
  const environments = ["staging", "production"];
  const desks = [...two, "gifts"];
  const before = createDeskFiles(desks, createEnvironmentFiles(desks));
  const comment = await reviewChange(
    before,
    {
      "avatarops.yaml": before["avatarops.yaml"]?.replace("9 EUR", "11 EUR").replace("10 EUR", "12 EUR"),
      "partials/tone.md": patient,
    } as Files,
    { environments, argv: ["--all"] },
  );
  const reached = "in 3 objects: `context.returns`, `context.orders`, `context.gifts`\n";
  expect(readClosed(readPlan(comment))).toContain(
    `**update** variable \`price\` \`9 EUR\` → \`11 EUR\` in \`avatarops.yaml\`, line [2], ${reached}`,
  );
  expect(readClosed(readPlan(comment))).toContain(`**update** \`partials/tone.md\`, line [1], ${reached}`);
  expect(readPlan(comment).split("<details")).toHaveLength(2);
  expect(readPlan(comment)).toContain("A return costs <del>9</del><strong> 11</strong> EUR.");
  expect(readPlan(comment, 1)).toContain(`**update** \`partials/tone.md\` as in \`staging\`, ${reached}`);
  expect(readPlan(comment, 1)).toContain("variable `price` `10 EUR` → `12 EUR`");
  expect(comment.split(patientShown)).toHaveLength(2);
  expect(comment).not.toMatch(/^\|/m);
});

test("shows two changed variables once each, even if they are adjacent in a prompt", async () => {
  const before = {
    ...createDeskFiles(two),
    "avatarops.yaml": createDeskFiles(two)["avatarops.yaml"]?.replace(
      "{ price: 9 EUR }",
      "{ price: '9', unit: EUR }",
    ),
    ...Object.fromEntries(
      two.map((desk) => [`prompts/${desk}.md`, `${createPromptFile(desk).trimEnd()}{{unit}}\n`]),
    ),
  } as Files;
  const comment = await reviewChange(before, {
    "avatarops.yaml": before["avatarops.yaml"]?.replace("'9', unit: EUR", "'11', unit: GBP"),
  } as Files);
  const shown = readClosed(readPlan(comment));
  const reached = "in `avatarops.yaml`, line [2], in 2 objects: `context.returns`, `context.orders`\n";
  expect(shown).toContain(`**update** variable \`price\` \`9\` → \`11\` ${reached}`);
  expect(shown).toContain(`**update** variable \`unit\` \`EUR\` → \`GBP\` ${reached}`);
  expect(readPlan(comment).split("<details")).toHaveLength(2);
  expect(comment).not.toMatch(/^\||The same edit as in/m);
});

test("shows a prompt for each changed variable if none contains both", async () => {
  const before = {
    ...createDeskFiles(two),
    "avatarops.yaml": createDeskFiles(two)["avatarops.yaml"]?.replace("9 EUR }", "9 EUR, days: '14' }"),
    "prompts/orders.md": createPromptFile("orders", "Returns take {{days}} days.\n"),
  } as Files;
  const comment = await reviewChange(before, {
    "avatarops.yaml": before["avatarops.yaml"]?.replace("9 EUR, days: '14'", "11 EUR, days: '30'"),
  } as Files);
  expect(readClosed(readPlan(comment))).toMatch(
    /variable `days` `14` → `30` .*, in 1 object: `context\.orders`$/m,
  );
  expect(readPlan(comment)).toContain("A return costs <del>9</del><strong> 11</strong> EUR.");
  expect(readPlan(comment)).toContain("Returns take <del>14</del><strong> 30</strong> days.");
  expect(comment).not.toMatch(/^\|/m);
});

test("shows all differences of a prompt if the variable's earlier value is unapplied", async () => {
  const before = createDeskFiles(two);
  const settings = before["avatarops.yaml"] ?? "";
  const comment = await reviewChange(
    before,
    { "avatarops.yaml": settings.replace("9 EUR", "11 EUR"), "partials/tone.md": patient },
    {
      prepare: async ({ project, commit }) => {
        await project.write("avatarops.yaml", settings.replace("9 EUR", "10 EUR"));
        return commit();
      },
    },
  );
  expect(comment).not.toContain("variable `price`");
  for (const desk of two)
    expect(comment).toContain(`for ${desk}. A return costs <del>9</del><strong> 11</strong> EUR.`);
});
