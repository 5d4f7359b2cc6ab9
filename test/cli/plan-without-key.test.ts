import { expect, test } from "vitest";
import { startChange } from "../review/change.js";
import { matchText, startAndApply } from "./hosting.js";

const formatManifest = (prompt: string) => `contexts: { desk: { name: Desk, prompt: ${prompt} } }\n`;
const noKey = { environment: { AVATAROPS_API_KEY: undefined } };

test("plans against the last applied state without an API key, and reports that the account was not compared", async () => {
  const project = await startAndApply({ files: { "avatarops.yaml": formatManifest("Be kind.") } });
  await project.write("avatarops.yaml", formatManifest("Be warm."));
  const before = project.emulator.requests.length;
  const ran = await project.avataropsWith(noKey, "plan");
  expect(ran).toMatchObject({
    exit: 0,
    stdout: matchText("not compared with the account"),
  });
  expect(ran.stdout).toMatch(/update +context\.desk/);
  expect(project.emulator.requests).toHaveLength(before);
  const document = JSON.parse((await project.avataropsWith(noKey, "plan", "--format", "json")).stdout);
  expect(document.compared_with).toBe("state");
});

test("saves no plan without an API key, because the plan could not be applied", async () => {
  const project = await startAndApply({ files: { "avatarops.yaml": formatManifest("Be kind.") } });
  expect(await project.avataropsWith(noKey, "plan", "--out", "plan.json")).toMatchObject({
    exit: 1,
    stderr: matchText("The plan was not saved"),
  });
  expect(project.has("plan.json")).toBe(false);
});

test("rejects diff, drift and apply without an API key", async () => {
  const project = await startAndApply({ files: { "avatarops.yaml": formatManifest("Be kind.") } });
  for (const argv of [["diff"], ["drift"], ["apply", "-y"]])
    expect(await project.avataropsWith(noKey, ...argv)).toMatchObject({
      exit: 1,
      stderr: matchText("AVATAROPS_API_KEY is not set"),
    });
});

test("reviews a branch without an API key and prints no digest to apply", async () => {
  const change = await startChange("gitea");
  await change.project.expectDone("apply", "-y");
  await change.project.write("avatarops.yaml", formatManifest("Be warm."));
  change.commit();
  expect(await change.review({ AVATAROPS_API_KEY: "" })).toMatchObject({ exit: 0 });
  const [{ body } = { body: "" }] = change.world.comments;
  expect(body).toContain("**Not compared with the account: no API key.**");
  expect(body).not.toContain("--digest");
});
