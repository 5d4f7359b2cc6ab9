import { mkdir } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { matchText, type Project, startProject } from "./hosting.js";

const yaml = (prompt: string) =>
  `contexts:\n  desk: { name: Desk, prompt: Be kind. }\n  shop: { name: Shop, prompt: ${prompt} }\n`;

/** Starts a project that was applied twice, with a hold on context.shop. */
async function startHeld(): Promise<Project> {
  const project = await startProject({ files: { "avatarops.yaml": yaml("Be quick.") } });
  await project.expectDone("apply", "-y");
  await project.write("avatarops.yaml", yaml("Be very quick."));
  await project.expectDone("apply", "-y");
  await project.expectDone("hold", "context.shop", "--reason", "Fair");
  return project;
}

describe("suggestion for a mistyped address", () => {
  test.each([
    ["rollback --to 1", "was not managed at serial 1."],
    ["pull", "No object has the address"],
    ["release", "is not on hold."],
    ["blame", "No file declares"],
    ["render", "No file declares"],
    ["state show", "The state has no object with the address"],
  ])("is shown by %s", async (command, problem) => {
    const project = await startHeld();
    const isKindNeeded = ["blame", "render"].includes(command);
    for (const wrong of ["context.shp", "context.shop.prompt", ...(isKindNeeded ? [] : ["shop"])]) {
      const ran = await project.avatarops(...command.split(" "), wrong);
      expect(ran, wrong).toMatchObject({ exit: 1, stderr: matchText("Did you mean context.shop?") });
      expect(ran.stderr).toEqual(matchText(problem));
    }
  });

  test("is omitted for a known address that was unmanaged at the rollback serial or is not on hold", async () => {
    const project = await startHeld();
    await project.write("avatarops.yaml", `${yaml("Be very quick.")}  mesk: { name: New, prompt: Hi. }\n`);
    await project.expectDone("apply", "-y", "--target", "context.mesk");
    const later = "context.mesk was not managed at serial 1. `avatarops history` lists each apply.";
    await project.expectRefused(["rollback", "--to", "1", "context.mesk"], later);
    await project.expectRefused(["release", "context.desk"], "context.desk is not on hold. `avatarops plan`");
  });

  test("is omitted if several objects have that key", async () => {
    const project = await startProject({
      files: {
        "avatarops.yaml": `${yaml("Hi.")}avatars:\n  shop: { id: dd73ea75-1218-4ef3-92ce-606d5f7fbc0a }\n`,
      },
    });
    await project.expectRefused(
      ["pull", "shop"],
      'No object has the address "shop". See `avatarops state list`',
    );
  });
});

describe("import", () => {
  test.each([
    [[], "Missing ADDRESS and ID, e.g."],
    [["context.desk"], "Missing ID, e.g."],
    [["c03779b1-9e37-4a1b-9c2d-5ee0fe120000"], "Missing ADDRESS, e.g."],
  ])("names the missing argument after %j", async (given, message) => {
    const project = await startProject({ files: { "avatarops.yaml": yaml("Hi.") } });
    await project.expectRefused(["import", ...given], message);
  });

  test("finds the project in a parent folder with --all", async () => {
    const project = await startProject({ files: { "avatarops.yaml": yaml("Hi.") } });
    await project.expectDone("apply", "-y");
    project.emulator.addContext({ name: "Night", prompt: "Be calm." });
    const cwd = path.join(project.folder, "notes");
    await mkdir(cwd);
    const ran = await project.avataropsWith({ cwd }, "import", "--write", "--all");
    expect(ran).toMatchObject({ exit: 0, stdout: matchText("imported context.night") });
    expect(await project.read("avatarops.yaml")).toContain("night:");
  });
});

test("reports that nothing is managed yet if pull finds no state", async () => {
  const project = await startProject({ files: { "avatarops.yaml": yaml("Hi.") } });
  const ran = await project.expectDone("pull");
  expect(ran.stdout).toEqual(matchText("Nothing to pull"));
  expect(ran.stderr).toEqual(matchText("Nothing is managed yet: .avatarops/state.json does not exist."));
});
