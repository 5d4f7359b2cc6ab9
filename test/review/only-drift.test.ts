// @module-tag ci
/** A pull request that changes no object, while some were edited in the dashboard. */
import { expect, test } from "vitest";
import { succeed } from "../cli/hosting.js";
import { deskWith, startChange } from "./change.js";

const startDrifted = async (settings: string, files: Readonly<Record<string, string>>) => {
  const change = await startChange("github", deskWith("Be kind.", settings));
  await change.project.expectDone("apply", "--auto-approve");
  change.project.emulator.editContext("Desk", { prompt: "Be brief." });
  for (const [file, text] of Object.entries(files)) await change.project.write(file, text);
  change.commit();
  await succeed(change.review());
  return change.world.comments.map(({ body }) => body);
};

const onlyForChanges = "reviews: { comment: changes }\n";
const readme = { "README.md": "Hello.\n" };

test("counts a dashboard edit as skipped, and shows it without a table or fold", async () => {
  const [comment = ""] = await startDrifted("", readme);
  expect(comment).toContain("### Nothing to apply: 1 skipped (drifted); 0 unchanged\n");
  expect(comment).toContain("**Edited in the dashboard, so apply skips it.**");
  expect(comment).toContain("<blockquote>Be <del>brief</del><strong> kind</strong>.</blockquote>");
  expect(comment).not.toMatch(/^\||<details|^####/m);
});

test("posts no comment if only dashboard edits differ and comments are for changes", async () => {
  expect(await startDrifted(onlyForChanges, readme)).toEqual([]);
});

test("comments on a change of an object that was edited in the dashboard, and counts it as conflicting", async () => {
  const [comment = ""] = await startDrifted(onlyForChanges, deskWith("Be kind and patient.", onlyForChanges));
  expect(comment).toContain("### Nothing to apply: 1 skipped (conflicting); 0 unchanged\n");
});
