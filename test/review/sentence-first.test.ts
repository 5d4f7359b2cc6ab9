// @module-tag ci
/** Tests that a comment begins with the changed sentence or the new prompt. */
import { expect, test } from "vitest";
import { expectSuccess } from "../cli/hosting.js";
import { createDeskFiles, startChange } from "./change.js";

const reviewChange = async (before: string, files: Readonly<Record<string, string>>) => {
  const change = await startChange("github", createDeskFiles(before));
  await change.project.expectDone("apply", "--auto-approve");
  for (const [file, text] of Object.entries(files)) await change.project.write(file, text);
  change.commit();
  await expectSuccess(change.review());
  const [, ...lines] = change.world.comments[0]?.body.split("\n") ?? [];
  return lines.filter((line) => line !== "");
};

test("shows a review's only change as a quoted sentence below the counts, without a table", async () => {
  const lines = await reviewChange("Be kind.", createDeskFiles("Be kind and patient."));
  expect(lines.slice(0, 3)).toEqual([
    "### Plan: 1 to update; 0 unchanged",
    "<blockquote>Be kind<strong> and patient</strong>.</blockquote>",
    expect.stringMatching(
      /^\*\*update\*\* `context\.desk` `Desk`: \*\*`prompt`\*\* 8 → 20 characters in `avatarops\.yaml`/,
    ),
  ]);
  expect(lines.join("\n")).not.toMatch(/^\||<details/m);
});

test("shows all lines of a new prompt in the comment", async () => {
  const lines = await reviewChange("Be kind.", {
    "avatarops.yaml":
      "contexts:\n  desk: { name: Desk, prompt: Be kind. }\n  night: { name: Night, prompt: !file night.md }\n",
    "night.md": "You are the night desk.\n\nNever wake a guest for a question.\n",
  });
  expect(lines).toContain(
    "<blockquote>You are the night desk.<br><br>Never wake a guest for a question.</blockquote>",
  );
});

test("shows the file and line of a new prompt that is a template", async () => {
  const lines = await reviewChange("Be kind.", {
    "avatarops.yaml":
      "contexts:\n  desk: { name: Desk, prompt: Be kind. }\n  night: { name: Night, prompt: !file night.md }\ntemplates: [night.md]\n",
    "night.md": "You are the night desk.\n\n{{> tone}}\n",
    "partials/tone.md": "Be quiet.\n",
  });
  expect(lines).toContain("<blockquote>You are the night desk.<br><br>Be quiet.</blockquote>");
  expect(lines.join("\n")).toMatch(/\*\*`prompt`\*\* .* in `night\.md`, line \[1\]/);
});

test("reports that a single object's differences do not fit into the comment", async () => {
  const rest = "It is a rule like any other, and has as many words as rules have in a house like this one.";
  const text = (word: string) =>
    Array.from({ length: 700 }, (_, at) => `Rule ${at} is for ${word}. ${rest}\n\n${at}.\n\n`).join("");
  const change = await startChange("github", {
    "avatarops.yaml": "contexts: { desk: { name: Desk, prompt: !file desk.md } }\n",
    "desk.md": text("guests"),
  });
  await change.project.expectDone("apply", "--auto-approve");
  await change.project.write("desk.md", text("visitors"));
  change.commit();
  await expectSuccess(change.review());
  expect(change.world.comments[0]?.body).toContain("_Too long for a comment: differences left out.");
});
