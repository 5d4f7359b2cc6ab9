/** Tests that `prune` lists undeclared objects and deletes only the named ones. */
import { describe, expect, it } from "vitest";
import { createEmptyDataset } from "../../src/emulator/index.js";
import { expectSuccess, matchText, type Project, startAndApply, startProject } from "../cli/hosting.js";

const profile = "service: { profile: liveavatar }\n";
const desk = "contexts:\n  desk: { name: Desk, prompt: Be kind. }\n";
const formatKey = (variable: string) =>
  `secrets:\n  llm: { secret_name: LLM, secret_type: LLMPROVIDER_API_KEY, secret_value: !env ${variable} }\n`;

/** Starts a project with one context, and an account with two more contexts. */
async function start(files = profile + desk): Promise<Project> {
  const project = await startAndApply({
    files: { "avatarops.yaml": files },
    world: createEmptyDataset(),
    emulator: { profile: "liveavatar" },
    environment: { OLD: "old", NEW: "new" },
  });
  for (const name of ["Winter", "Summer"]) project.emulator.addContext({ name, prompt: "Old." });
  return project;
}

const listNames = ({ emulator }: Project) => emulator.world.contexts.map(({ name }) => name).sort();
const findId = ({ emulator }: Project, wanted: string) =>
  emulator.world.contexts.find(({ name }) => name === wanted)?.id ?? "";

describe("prune", () => {
  it("lists undeclared objects with their age and deletes nothing if no id is given", async () => {
    const project = await start();
    const ran = await project.expectDone("prune");
    expect(ran.stdout).toMatch(/context "Winter" \([0-9a-f-]{36}\): created \d{4}-\d\d-\d\d/);
    expect(ran.stdout).not.toContain("Desk");
    expect(listNames(project)).toEqual(["Desk", "Summer", "Winter"]);
  });

  it("deletes a named object after confirmation and records it in the history", async () => {
    const project = await start();
    const id = findId(project, "Winter");
    const unasked = await project.avatarops("prune", id);
    expect(unasked).toMatchObject({ exit: 7 });
    expect(unasked.stderr).toMatch(new RegExp(`avatarops prune --digest\\s+\\S+\\s+${id}`));
    expect(await project.avataropsWith({ typed: "no\n" }, "prune", id)).toMatchObject({ exit: 130 });
    expect(listNames(project)).toEqual(["Desk", "Summer", "Winter"]);
    const ran = await expectSuccess(project.avataropsWith({ typed: "yes\n" }, "prune", id));
    expect(ran.stdout + ran.stderr).toContain("not declared in any file");
    expect(ran.stdout).toMatch(new RegExp(`deleted +context.${id} +"Winter"`));
    expect(listNames(project)).toEqual(["Desk", "Summer"]);
    expect((await project.avatarops("history")).stdout).toMatch(
      new RegExp(`deleted +context.${id} +"Winter"`),
    );
    await project.write("avatarops.yaml", `${profile}contexts: {}\n`);
    await project.expectDone("apply", "-y");
    expect((await project.avatarops("history")).stdout).toMatch(/forgotten +context.desk/);
    await project.expectNothingToDo();
  });

  it("keeps declared objects, managed objects and objects used by a preset", async () => {
    const project = await start();
    const [managed, named] = [findId(project, "Desk"), findId(project, "Winter")];
    for (const id of [managed, "2c5faf09-e6fd-46fd-84e3-489b10838fbf"])
      await project.expectRefused(["prune", "-y", id], "is not the id of an undeclared object");
    const preset = `sessions:\n  welcome: { persona: { context_id: ${named} } }\n`;
    await project.write("avatarops.yaml", profile + preset);
    expect((await project.avatarops("prune")).stdout).toContain(
      "kept: The preset sessions.welcome uses its id.",
    );
    for (const id of [managed, named])
      expect(await project.avatarops("prune", "-y", id)).toMatchObject({ exit: 1 });
    expect(listNames(project)).toEqual(["Desk", "Summer", "Winter"]);
  });

  it("lists a superseded secret with its successor", async () => {
    const project = await start(profile + formatKey("OLD"));
    await project.write("avatarops.yaml", profile + formatKey("NEW"));
    await project.expectDone("apply", "-y");
    const [old] = project.emulator.world.secrets;
    expect((await project.avatarops("prune")).stdout).toContain("superseded by secret.llm");
    await project.expectDone("prune", "-y", old?.id ?? "");
    expect(project.emulator.world.secrets).toHaveLength(1);
    await project.expectNothingToDo();
    expect(await project.json("status")).toMatchObject({ exit: "nothing", superseded: [] });
  });

  it("does not delete an object that was edited after the confirmation or is on hold", async () => {
    const project = await start();
    const id = findId(project, "Winter");
    const typed = () => {
      project.emulator.editContext("Winter", { prompt: "Edited." });
      return "yes\n";
    };
    expect(await project.avataropsWith({ typed }, "prune", id)).toMatchObject({ exit: 5 });
    await project.avatarops("hold", "--reason", "audit");
    expect(await project.avatarops("prune", "-y", id)).toMatchObject({ exit: 7 });
    expect(listNames(project)).toEqual(["Desk", "Summer", "Winter"]);
  });

  it("lets the next plan resolve a delete whose response was lost", async () => {
    const project = await start();
    project.emulator.addFault("DELETE /v1/contexts/* drop-after times=always");
    project.emulator.addFault("GET /v1/contexts/* 500 times=always skip=2");
    expect(await project.avatarops("prune", "-y", findId(project, "Winter"))).toMatchObject({ exit: 4 });
    project.emulator.clearFaults();
    expect((await project.avatarops("plan")).stdout).toEqual(matchText("The delete was interrupted"));
    await project.expectDone("apply", "-y");
    await project.expectNothingToDo();
    expect(listNames(project)).toEqual(["Desk", "Summer"]);
  });

  it.each([
    ["with contexts", profile + desk],
    // Every account has the stock avatar.
    ["with a stock avatar", `${profile}${desk}avatars: { host: { id: !stock_avatar Wayne } }\n`],
  ])("deletes nothing with another account's key in a project %s", async (_, files) => {
    const project = await start(files);
    const { world, requests } = project.emulator;
    world.contexts.splice(0);
    project.emulator.addContext({ name: "Theirs", prompt: "Of another team." });
    requests.splice(0);
    for (const argv of [["prune"], ["prune", "-y", findId(project, "Theirs")]])
      await project.expectRefused(argv, "error[all-vanished]", 7);
    expect(requests.filter(({ method }) => method === "DELETE")).toEqual([]);
    await project.expectDone("apply", "-y", "--allow", "all-vanished");
    expect((await project.avatarops("prune")).stdout).toContain("Theirs");
  });

  it("keeps objects of the repository's other environments and projects, and shows their addresses", async () => {
    const project = await start();
    const id = findId(project, "Winter");
    await project.write(
      "other/avatarops.yaml",
      `${profile}contexts:\n  cold: { name: Winter, prompt: Old. }\n`,
    );
    await project.expectDone("apply", "-y", "-f", "other/avatarops.yaml");
    const listed = await project.avatarops("prune");
    expect(listed.stderr).toEqual(matchText("may use these objects"));
    expect(listed.stdout).toContain("kept: It is managed as context.cold of other/avatarops.yaml.");
    await project.expectRefused(["prune", "-y", id], "error[not-prunable]");
    expect(listNames(project)).toContain("Winter");
  });

  it("keeps objects whose ids are in presets of the repository's other environments and projects", async () => {
    const project = await start(`${profile}${desk}environments: { staging: { state: staging.json } }\n`);
    const [winter, summer] = [findId(project, "Winter"), findId(project, "Summer")];
    const kiosk = `{ sessions: { kiosk: { persona: { context_id: ${winter.toUpperCase()} } } } }`;
    const environments = `environments: { staging: { state: staging.json }, live: ${kiosk} }\n`;
    await project.write("avatarops.yaml", profile + desk + environments);
    const lobby = `sessions: { lobby: { persona: { context_id: ${summer} } } }\n`;
    // Has a state that cannot be read.
    await project.write("other/avatarops.yaml", `${profile}state: wrong.json\n${lobby}`);
    await project.write("other/wrong.json", "{");
    const argv = ["prune", "--env", "staging"];
    const { stdout } = await project.avatarops(...argv);
    expect(stdout).toContain("kept: The preset sessions.kiosk of live, avatarops.yaml uses its id.");
    expect(stdout).toContain("kept: The preset sessions.lobby of other/avatarops.yaml uses its id.");
    for (const id of [winter, summer])
      await project.expectRefused([...argv, "-y", id], "error[not-prunable]");
    expect(listNames(project)).toEqual(["Desk", "Summer", "Winter"]);
  });

  it("lists objects but deletes none if no profile is set", async () => {
    const project = await startProject({ files: { "avatarops.yaml": desk } });
    const { id } = project.emulator.addContext({ name: "Summer", prompt: "Old." });
    const kept = "To delete objects, set `service.profile`.";
    expect((await project.avatarops("prune")).stdout).toContain(`context "Summer" (${id})`);
    expect((await project.avatarops("prune")).stdout).toContain(`kept: ${kept}`);
    await project.expectRefused(["prune", "-y", id], kept);
  });
});
