import { expect, test } from "vitest";
import { saying, startProject } from "../cli/hosting.js";
import { plannedAfter, projectWith, validated } from "./judging.js";

/* The rule that needs the account; its page is tested with those of the others. */

const words = (count: number) => "word ".repeat(count).trim();
const files = (count: number, rule = 'grown-prompt: { severity: "warning" }') =>
  projectWith(rule, `prompt: ${words(count)}`);
const found = 'warning grown-prompt at avatarops.yaml:6:13 "';

test("a prompt that would become more than twice as long is reported by plan, and not by validate", async () => {
  expect(await plannedAfter(files(300), files(700))).toEqual([expect.stringContaining(found)]);
  expect(await plannedAfter(files(300), files(590))).toEqual([]);
  expect(await plannedAfter(files(100), files(350))).toEqual([]);
  expect(await plannedAfter(files(300), files(1000, "grown-prompt: { factor: 4 }"))).toEqual([]);
  expect(await plannedAfter(files(300), files(700, 'grown-prompt: { severity: "off" }'))).toEqual([]);
  expect(await validated(files(700))).toEqual([]);
});

test("an exception from it holds", async () => {
  const except = "grown-prompt:\n  except:\n    - { address: context.support, reason: a new product }";
  expect(await plannedAfter(files(300), files(700, except))).toEqual([]);
});

test("as an error it refuses apply, but not the undoing of an edit made elsewhere", async () => {
  const rule = "grown-prompt: { severity: error }\n";
  const project = await startProject({ files: files(700, rule) });
  const apply = () => project.avatarops("apply", "--auto-approve", "--overwrite-drift");
  expect(await apply()).toMatchObject({ exit: 0 });
  project.emulator.editContext("Support desk", { prompt: "Be brief." });
  expect(await apply()).toMatchObject({ exit: 0 });
  const sent = project.emulator.requests.length;
  await project.write("avatarops.yaml", files(1500, rule)["avatarops.yaml"] ?? "");
  expect(await apply()).toMatchObject({
    exit: 1,
    stderr: saying(
      "context.support.prompt would grow from 3499 to 7499 characters, more than twice its size",
    ),
  });
  expect(project.emulator.requests.slice(sent).filter(({ method }) => method !== "GET")).toEqual([]);
  const { prompt } = [...project.emulator.world.contexts][0] ?? {};
  expect(prompt).toBe(words(700));
});
