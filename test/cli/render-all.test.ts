import { expect, test } from "vitest";
import { matchText, startProject } from "./hosting.js";

const files = {
  "avatarops.yaml":
    "templates: [desk.md]\nvariables: { price: 9 EUR }\ncontexts:\n  desk: { name: Desk, prompt: !file desk.md, opening_text: Hi! }\n",
  "desk.md": "A return costs {{price}}.\n",
};

test("writes each rendered prompt to a file with render --all", async () => {
  const project = await startProject({ files });
  expect(await project.avatarops("render", "--all", "--out", "texts")).toMatchObject({
    ...{ exit: 0, stdout: "" },
    stderr: matchText("to texts."),
  });
  expect(await project.read("texts/context.desk.prompt.txt")).toBe("A return costs 9 EUR.");
  await project.expectRefused(["render", "--all", "--out", "texts"], "texts is not empty. Remove it");
  expect(project.emulator.requests).toEqual([]);
});

test.each([
  "render --all",
  "render --out texts",
  "render --all --out texts context.desk",
  "render --all --out texts --live",
  "render",
])("rejects incomplete or conflicting render arguments: %s", async (line) => {
  const project = await startProject({ files });
  const ran = await project.avatarops(...line.split(" "));
  expect(ran).toMatchObject({ exit: 1, stderr: matchText("error[usage]") });
  expect(ran).toMatchObject({ stderr: matchText("--all and --out FOLDER") });
  expect(project.has("texts")).toBe(false);
});
