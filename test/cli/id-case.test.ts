import { describe, expect, test } from "vitest";
import { generateDataset } from "../../src/emulator/index.js";
import { startAndApply, startProject } from "./hosting.js";

const desk = "service: { profile: liveavatar }\ncontexts:\n  desk: { name: Desk, prompt: Be kind. }\n";

/**
 * Starts a project with one declared context and one undeclared context. Returns the undeclared context's id
 * in upper case.
 */
async function start() {
  const project = await startAndApply({
    files: { "avatarops.yaml": desk },
    emulator: { profile: "liveavatar" },
  });
  const { id } = project.emulator.addContext({ name: "Night", prompt: "Be quiet." });
  return { project, id, upper: id.toUpperCase() };
}

describe("upper-case id", () => {
  test("is accepted when importing an undeclared object", async () => {
    const { project, id, upper } = await start();
    const ran = await project.avatarops("import", "--write", "context.night", upper);
    expect(ran, ran.stderr).toMatchObject({ exit: 0 });
    expect(await project.json("state", "show", "context.night")).toMatchObject({ id });
    await project.expectNothingToDo();
  });

  test("is accepted when importing a declared object", async () => {
    const { project, id, upper } = await start();
    await project.write("avatarops.yaml", `${desk}  night: { name: Night, prompt: Be quiet. }\n`);
    const ran = await project.avatarops("import", "context.night", upper);
    expect(ran, ran.stderr).toMatchObject({ exit: 0 });
    expect(await project.json("state", "show", "context.night")).toMatchObject({ id });
    await project.expectNothingToDo();
  });

  test("is accepted when deleting an object with prune", async () => {
    const { project, id, upper } = await start();
    const ran = await project.avatarops("prune", upper, id, "-y");
    expect(ran, ran.stderr).toMatchObject({ exit: 0 });
    expect(project.emulator.world.contexts.map(({ name }) => name)).toEqual(["Desk"]);
  });

  test("declares an avatar and matches the same id in lower case", async () => {
    const world = generateDataset({ avatars: 1 });
    const id = String(world.avatars[0]?.id);
    const project = await startProject({ world });
    const declare = (given: string) =>
      project.write("avatarops.yaml", `avatars:\n  host: { id: ${given}, name: Host }\n`);
    await declare(id.toUpperCase());
    await project.expectApplied();
    expect(await project.json("state", "show", "avatar.host")).toMatchObject({ id });
    await declare(id);
    await project.expectNothingToDo();
    await project.expectDone("state", "forget", "avatar.host");
    await project.expectDone("import", "avatar.host", id.toUpperCase());
    await project.expectNothingToDo();
  });

  test("is accepted when showing, stopping or filtering sessions", async () => {
    const project = await startAndApply({
      files: { "avatarops.yaml": desk },
      emulator: { profile: "liveavatar" },
    });
    const [context] = project.emulator.world.contexts;
    const { id } = project.emulator.addSession({ context_id: context?.id });
    expect(await project.json("sessions", "show", id.toUpperCase())).toMatchObject({ session: { id } });
    const listed = ["sessions", "list", "--context", String(context?.id).toUpperCase()];
    expect(await project.json(...listed)).toMatchObject({ sessions: [{ id }] });
    await project.expectDone("sessions", "stop", id.toUpperCase(), "-y");
  });
});
