import { expect, test } from "vitest";
import { saying, startApplied } from "./hosting.js";

test("pull of a named object leaves `protect` to the files", async () => {
  const desk = "contexts:\n  desk: { name: Desk, prompt: Be kind., opening_text: Hi! }\n";
  const project = await startApplied({ files: { "avatarops.yaml": desk } });
  project.emulator.editContext("Desk", { opening_text: "Hello!" });
  await project.write("avatarops.yaml", desk.replace("Hi!", "Hi!, protect: true"));
  expect(await project.avatarops("pull", "context.desk")).toMatchObject({ exit: 0 });
  expect(await project.read("avatarops.yaml")).toContain("opening_text: Hello!, protect: true");
});

test("pull writes no text of an unfinished merge, which no command would read afterwards", async () => {
  const desk = "contexts:\n  desk: { name: Desk, prompt: !file desk.md }\n";
  const project = await startApplied({ files: { "avatarops.yaml": desk, "desk.md": "Be kind.\n" } });
  project.emulator.editContext("Desk", { prompt: "<<<<<<< HEAD\nOurs.\n=======\nTheirs.\n>>>>>>> main\n" });
  const ran = await project.avatarops("pull");
  expect(ran).toMatchObject({ exit: 1, stdout: saying("has git's conflict markers") });
  expect(await project.read("desk.md")).toBe("Be kind.\n");
});
