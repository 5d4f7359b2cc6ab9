// @module-tag ci
/** Tests reviews of many changes. */
import { expect, test } from "vitest";
import { expectSuccess } from "../cli/hosting.js";
import { merge, startChange } from "./change.js";

test("posts a comment and a status about many objects whose addresses take many bytes", async () => {
  const contexts = Array.from(
    { length: 200 },
    (_, at) => `  ${"очень-длинное-имя-".repeat(4)}${at}: { name: C${at}, prompt: Be kind. }\n`,
  );
  const change = await startChange("github", { "avatarops.yaml": `contexts:\n${contexts.join("")}` });
  await expectSuccess(change.review());
  const [body = ""] = change.world.comments.map((comment) => comment.body);
  expect(body).toContain("200 to create");
  expect(body.length).toBeLessThanOrEqual(65_536);
  expect(change.world.statuses.at(-1)).toMatchObject({ state: "success" });
  merge(change);
  await expectSuccess(change.apply());
});
