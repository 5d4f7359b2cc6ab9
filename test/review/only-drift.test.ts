// @module-tag ci
/** Tests pull requests that change no object while the account has dashboard edits. */
import { expect, test } from "vitest";
import { expectSuccess } from "../cli/hosting.js";
import { createDeskFiles, startChange } from "./change.js";

const startDrifted = async (settings: string, files: Readonly<Record<string, string>>) => {
  const change = await startChange("github", createDeskFiles("Be kind.", settings));
  await change.project.expectDone("apply", "--auto-approve");
  change.project.emulator.editContext("Desk", { prompt: "Be brief." });
  for (const [file, text] of Object.entries(files)) await change.project.write(file, text);
  change.commit();
  await expectSuccess(change.review());
  return change.world.comments.map(({ body }) => body);
};

const onlyForChanges = "reviews: { comment: changes }\n";
const readme = { "README.md": "Hello.\n" };

test("counts a dashboard edit as skipped in the review comment, and does not collapse the edit", async () => {
  const [comment = ""] = await startDrifted("", readme);
  expect(comment).toContain("### Nothing to apply: 1 skipped (drifted); 0 unchanged\n");
  expect(comment).toContain("**Edited in the dashboard, so apply skips it.**");
  expect(comment).toContain("<blockquote>Be <del>brief</del><strong> kind</strong>.</blockquote>");
  expect(comment).not.toMatch(/^\||<details|^####/m);
});

test("posts no review comment with `comment: changes` if there are only dashboard edits", async () => {
  expect(await startDrifted(onlyForChanges, readme)).toEqual([]);
});

test("counts an object edited in the dashboard and in its file as conflicting", async () => {
  const [comment = ""] = await startDrifted(
    onlyForChanges,
    createDeskFiles("Be kind and patient.", onlyForChanges),
  );
  expect(comment).toContain("### Nothing to apply: 1 skipped (conflicting); 0 unchanged\n");
});
