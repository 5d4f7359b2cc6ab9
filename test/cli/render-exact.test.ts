import { expect, test } from "vitest";
import { matchText, startAndApply } from "./hosting.js";

const prompt = "One\n::group::Two\n##[x] and \u001B[1m bold\u200B\n\n";

const start = () =>
  startAndApply({
    files: { "avatarops.yaml": "contexts: { c: { name: C, prompt: !file p.txt } }\n", "p.txt": prompt },
  });

test("prints the exact prompt that the service received, with render and with render --live", async () => {
  const project = await start();
  const sent = project.emulator.world.contexts[0]?.prompt;
  expect(sent).toContain("::group::Two\n##[x]");
  expect(await project.avatarops("render", "context.c")).toMatchObject({ exit: 0, stdout: sent });
  expect(await project.avatarops("render", "context.c", "--live")).toMatchObject({ exit: 0, stdout: sent });
});

test("refuses to print a rendered prompt to a CI log if the runner would interpret it", async () => {
  const project = await start();
  const inJob = { environment: { GITHUB_ACTIONS: "true" } };
  expect(await project.avataropsWith(inJob, "render", "context.c")).toMatchObject({
    exit: 1,
    stdout: "",
    stderr: matchText("contains a CI runner command"),
  });
  const { text } = JSON.parse(
    (await project.avataropsWith(inJob, "render", "context.c", "--format", "json")).stdout,
  );
  expect(text).toBe(project.emulator.world.contexts[0]?.prompt);
});
