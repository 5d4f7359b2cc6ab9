/** Checks that each command in a message succeeds in the situation that the message describes. */
import { describe, expect, test } from "vitest";
import { createEmptyDataset, type LlmConfiguration } from "../../src/emulator/index.js";
import { commands } from "../../src/entrypoints/cli/commands.js";
import { commandsWithoutProject } from "../../src/output/render/index.js";
import {
  type CommandResult,
  expectSuccess,
  matchText,
  type Project,
  type ProjectSetup,
  startAndApply,
  startProject,
} from "./hosting.js";

type Situation = () => Promise<{ readonly project: Project; readonly ran: CommandResult }>;

/** Options that skip the confirmation prompt. */
const options: Readonly<Record<string, readonly string[]>> = {
  apply: ["--auto-approve"],
  pull: ["--auto-approve"],
  prune: ["--auto-approve"],
  rollback: ["--auto-approve"],
};

/** Returns the recommended commands, except those for CI. */
function findRecommended({ stdout, stderr }: CommandResult): string[] {
  const output = `${stdout} ${stderr}`.replace(/\s+/g, " ");
  const found = [...output.matchAll(/([Ii]n CI, )?`avatarops ([^`]+)`/g)];
  return [...new Set(found.flatMap(([, inCi, command = ""]) => (inCi ? [] : [command])))];
}

/** Runs each recommended command in a fresh copy of the situation. `expected` contains ID instead of ids. */
async function expectToWork(begin: Situation, expected: readonly string[]): Promise<void> {
  const commands = findRecommended((await begin()).ran);
  const id = /[\da-f]{8}-[\da-f-]{27}/g;
  expect(commands.map((command) => command.replace(id, "ID"))).toEqual(expected);
  for (const at of commands.keys()) {
    const { project, ran } = await begin();
    const words = findRecommended(ran)[at]?.split(" ") ?? [];
    const again = await project.avatarops(...words, ...(options[words[0] ?? ""] ?? []));
    expect(again, `${words.join(" ")}\n${again.stdout}${again.stderr}`).toMatchObject({ exit: 0 });
  }
}

const format = (key: string, prompt: string, more = "") =>
  `  ${key.toLowerCase()}: { name: ${key}, prompt: ${prompt}${more} }\n`;
const formatAll = (...lines: readonly string[]) =>
  `contexts:${lines.length > 0 ? `\n${lines.join("")}` : " {}\n"}`;
const deletable = "service: { profile: liveavatar }\n";
const withProfile = (): ProjectSetup => ({
  world: createEmptyDataset(),
  emulator: { profile: "liveavatar" },
  environment: { KEY: "one" },
});
const formatSecret = (key: string, more = "") =>
  `  ${key}: { secret_name: ${key}, secret_type: LLM_API_KEY, secret_value: !env KEY${more} }\n`;
const formatConfiguration = (used: string) =>
  `${deletable}secrets:\n${formatSecret("a")}${formatSecret("b")}llm_configurations: { main: { display_name: Main, model_name: gpt-4o, secret: ${used} } }\n`;

/** Applies the manifests one after another. */
async function applyEach(manifests: readonly string[], setup: ProjectSetup = {}): Promise<Project> {
  const [first = "", ...others] = manifests;
  const project = await startAndApply({ ...setup, files: { "avatarops.yaml": first } });
  for (const text of others) {
    await project.write("avatarops.yaml", text);
    await project.expectDone("apply", "-y");
  }
  return project;
}

/** Sets up the project, then runs the command whose advice is tested. */
const makeSituation =
  (make: () => Promise<Project>, ...argv: readonly string[]): Situation =>
  async () => {
    const project = await make();
    return { project, ran: await project.avatarops(...argv) };
  };

const findContextId = (project: Project, name: string) =>
  project.emulator.world.contexts.find((one) => one.name === name)?.id ?? "";

describe("commands recommended by rollback", () => {
  const back = ["rollback", "--to", "1", "-y"];
  const all = (text: string) => formatAll(format("Desk", text), format("Door", text), format("Gate", text));

  test("succeed after a rollback that holds objects and skips an edited one", async () => {
    const make = async () => {
      const project = await applyEach([all("A."), all("B.")]);
      project.emulator.editContext("Gate", { prompt: "Edited." });
      return project;
    };
    await expectToWork(makeSituation(make, ...back), [
      "pull context.gate",
      "release context.desk context.door",
      "pull context.desk context.door",
    ]);
    await expectToWork(makeSituation(make, ...back, "--no-hold"), [
      "pull context.gate",
      "pull context.desk context.door",
    ]);
  });

  test("succeed when the restored objects are undeclared", async () => {
    const make = async () => {
      const project = await applyEach([all("A."), all("B.")]);
      await project.write("avatarops.yaml", formatAll(format("Desk", "B.")));
      return project;
    };
    await expectToWork(makeSituation(make, ...back), [
      "release context.desk context.door context.gate",
      "pull context.desk",
    ]);
  });

  test("succeed when objects are no longer managed or were deleted", async () => {
    const before = `${deletable}${formatAll(format("Desk", "A."), format("Door", "A."), format("Gate", "A.", ", on_removal: delete"))}`;
    const make = () => applyEach([before, `${deletable}${formatAll(format("Desk", "A."))}`], withProfile());
    await expectToWork(makeSituation(make, ...back), [
      "import --write context.door ID",
      "show context.gate --at 1",
    ]);
  });

  test("import an unmanaged secret once it is declared again", async () => {
    const secrets = `secrets:\n${formatSecret("a")}`;
    const texts = [all("A."), all("B.")] as const;
    const project = await applyEach(
      [`${deletable}${texts[0]}${secrets}`, `${deletable}${texts[1]}`],
      withProfile(),
    );
    const ran = await project.expectDone(...back);
    const [importing = ""] = findRecommended(ran).filter((command) => command.startsWith("import"));
    await project.write("avatarops.yaml", `${deletable}${texts[0]}${secrets}`);
    await project.expectDone(...importing.split(" "));
    // The import recorded no fingerprint.
    const declared = `${deletable}${texts[0]}secrets:\n${formatSecret("a", ", secret_value_version: 1")}`;
    await project.write("avatarops.yaml", declared);
    await project.expectApplied();
  });

  test("succeed when an address was never managed", async () => {
    const make = () => applyEach([all("A.")]);
    await expectToWork(makeSituation(make, ...back, "context.unrelated"), ["history"]);
    await expectToWork(makeSituation(make, "show", "context.other", "--at", "1"), ["history"]);
  });
});

describe("commands recommended by drift, plan and apply", () => {
  const edited =
    (...declared: readonly string[]) =>
    async () => {
      const project = await applyEach([formatAll(format("Desk", "A."), format("Door", "A."))]);
      for (const name of ["Desk", "Door"]) project.emulator.editContext(name, { prompt: "Edited." });
      await project.write("avatarops.yaml", formatAll(...declared));
      return project;
    };
  const overwrite = "apply --overwrite-drift";

  test("succeed after dashboard edits", async () => {
    const make = edited(format("Desk", "A."), format("Door", "A."));
    await expectToWork(makeSituation(make, "drift"), ["pull", overwrite]);
    const both = ["pull context.desk", overwrite, "pull context.door"];
    await expectToWork(makeSituation(make, "plan"), both);
    await expectToWork(makeSituation(make, "apply", "-y"), both);
  });

  test("succeed after dashboard and file edits to different lines", async () => {
    const prompt = (first: string, last: string) => JSON.stringify(`${first}\nBe kind.\n${last}`);
    const both = (text: string) => formatAll(format("Desk", text), format("Door", text));
    const make = async () => {
      const project = await applyEach([both(prompt("A.", "Z."))]);
      for (const name of ["Desk", "Door"])
        project.emulator.editContext(name, { prompt: "Edited.\nBe kind.\nZ." });
      await project.write("avatarops.yaml", both(prompt("A.", "Y.")));
      return project;
    };
    await expectToWork(makeSituation(make, "drift"), ["pull context.desk", "pull context.door", overwrite]);
    await expectToWork(makeSituation(make, "plan"), ["pull context.desk", overwrite, "pull context.door"]);
  });

  test("succeed after dashboard and file edits to the same lines", async () => {
    const make = edited(format("Desk", "B."), format("Door", "B."));
    await expectToWork(makeSituation(make, "plan"), [
      "pull context.desk --ours",
      overwrite,
      "pull context.door --ours",
    ]);
    await expectToWork(makeSituation(make, "pull"), ["pull context.desk --ours", "pull context.door --ours"]);
  });

  test("do not include --overwrite-drift after an apply that already used it", async () => {
    const make = edited(format("Desk", "B."));
    const { ran } = await makeSituation(make, "apply", "-y", "--overwrite-drift")();
    expect(ran).toMatchObject({ exit: 0, stderr: matchText("and apply overwrites the edit.") });
    expect(ran.stderr).not.toEqual(matchText("skips it"));
    expect(ran.stderr).not.toEqual(matchText("Overwrite it"));
  });

  test("succeed when a saved plan exceeds a threshold", async () => {
    const make = async () => {
      const project = await applyEach([formatAll(format("Desk", "A."))]);
      const text = `thresholds: { max_percent: 1, min_objects: 1 }\n${formatAll(format("Desk", "B."))}`;
      await project.write("avatarops.yaml", text);
      return project;
    };
    await expectToWork(makeSituation(make, "plan", "--out", "plan.json"), [
      "apply --allow threshold",
      "apply plan.json --allow threshold",
    ]);
  });

  test("succeed when the edited object is undeclared", async () => {
    await expectToWork(makeSituation(edited(), "drift"), []);
    await expectToWork(makeSituation(edited(format("Desk", "A.")), "drift"), ["pull", overwrite]);
  });

  test("succeed when an object refers to a different secret in the account", async () => {
    const make = async () => {
      const project = await applyEach([formatConfiguration("a")], withProfile());
      const { secrets, llmConfigurations } = project.emulator.world;
      const [main] = llmConfigurations as LlmConfiguration[];
      const other = secrets.find(({ secret_name: name }) => name === "b");
      if (main && other) main.secret_id = other.id;
      return project;
    };
    for (const argv of [["drift"], ["plan"], ["apply", "-y"]])
      await expectToWork(makeSituation(make, ...argv), [overwrite]);
    const project = await make();
    await project.write("avatarops.yaml", formatConfiguration("b"));
    await project.expectApplied();
  });

  test("succeed when an object was deleted from the account", async () => {
    const make = async () => {
      const project = await applyEach([formatAll(format("Desk", "A."), format("Door", "A."))]);
      project.emulator.removeContext("Desk");
      return project;
    };
    await expectToWork(makeSituation(make, "drift"), []);
    const project = await make();
    await project.write("avatarops.yaml", formatAll(format("Door", "A.")));
    await project.expectApplied();
    await project.expectDone("drift");
  });

  test("succeed when the account has an undeclared object", async () => {
    const make = async () => {
      const project = await applyEach([formatAll(format("Desk", "A."))]);
      project.emulator.addContext({ name: "Theirs", prompt: "Hi." });
      return project;
    };
    await expectToWork(makeSituation(make, "plan"), ["prune", "import --write --all"]);
  });

  test("succeed when all objects are on hold and one also has its own hold", async () => {
    const make = async () => {
      const project = await applyEach([formatAll(format("Desk", "A."))]);
      await project.expectDone("hold", "--reason", "incident 42");
      await project.expectDone("hold", "--reason", "legal check", "context.desk");
      await project.write("avatarops.yaml", formatAll(format("Desk", "B.")));
      return project;
    };
    await expectToWork(makeSituation(make, "plan"), ["release", "release context.desk"]);
    const one = async () => {
      const project = await make();
      await project.expectDone("release");
      return project;
    };
    await expectToWork(makeSituation(one, "plan"), ["release context.desk"]);
    await expectToWork(makeSituation(one, "release"), ["release context.desk"]);
  });

  test("succeed when a new address takes over a protected object", async () => {
    const make = async () => {
      const project = await applyEach([formatAll(format("Desk", "A.", ", protect: true"))]);
      await project.write("avatarops.yaml", formatAll(format("Desk", "A.").replace("desk:", "table:")));
      return project;
    };
    for (const argv of [["plan"], ["apply", "-y"]])
      await expectToWork(makeSituation(make, ...argv), ["state forget context.desk"]);
  });

  test("succeed when a superseded secret differs from its record", async () => {
    const manifest = `${deletable}secrets:\n${formatSecret("a", ", on_rotation: delete_old")}`;
    const make = async () => {
      const project = await applyEach(
        [manifest.replace("on_rotation: delete_old", "on_rotation: keep_old")],
        withProfile(),
      );
      await expectSuccess(project.avataropsWith({ environment: { KEY: "two" } }, "apply", "-y"));
      await project.write("avatarops.yaml", manifest);
      const { world, secretValue } = project.emulator;
      const old = world.secrets.find(({ id }) => secretValue(id) === "one");
      if (old) old.secret_name = "renamed";
      return project;
    };
    const plan: Situation = async () => {
      const project = await make();
      return { project, ran: await project.avataropsWith({ environment: { KEY: "two" } }, "plan") };
    };
    await expectToWork(plan, ["prune ID"]);
  });
});

describe("commands recommended by errors about a name, address or id", () => {
  test("succeed when an object takes the name of another object in the account", async () => {
    const make = async () => {
      const project = await applyEach([formatAll(format("Desk", "A."))]);
      project.emulator.addContext({ name: "Theirs", prompt: "Hi." });
      await project.write("avatarops.yaml", formatAll(format("Desk", "A.").replace("Desk,", "Theirs,")));
      return project;
    };
    const apply = makeSituation(make, "apply", "-y", "-q");
    expect((await apply()).ran.stdout).toEqual(matchText("Choose another name, or rename that object."));
    await expectToWork(apply, []);
  });

  test("succeed when an object is already managed at another address", async () => {
    const two = formatAll(format("Desk", "A."), format("Door", "A."));
    const importing =
      (address: string, declared = two, ...more: readonly string[]): Situation =>
      async () => {
        const project = await applyEach([two]);
        await project.write("avatarops.yaml", declared);
        return {
          project,
          ran: await project.avatarops("import", ...more, address, findContextId(project, "Door")),
        };
      };
    const other = `${two}${format("Gate", "A.")}`;
    await expectToWork(importing("context.gate", other), ["state mv context.door context.gate"]);
    await expectToWork(importing("context.gate", two, "--write"), ["state mv context.door context.gate"]);
    await expectToWork(importing("context.gate", formatAll(format("Desk", "A.")), "--write"), [
      "import --write context.door ID",
    ]);
    // Runs the commands in the recommended order.
    const { project, ran } = await importing("context.desk")();
    expect(findRecommended(ran)).toEqual(["state forget context.desk", "state mv context.door context.desk"]);
    for (const command of findRecommended(ran)) await project.expectDone(...command.split(" "));
  });

  test("succeed when an address is unknown or nothing is managed yet", async () => {
    const make = () => startProject({ files: { "avatarops.yaml": formatAll(format("Desk", "A.")) } });
    await expectToWork(makeSituation(make, "plan", "--target", "context.x*"), ["state list"]);
    await expectToWork(makeSituation(make, "state", "show", "context.desk"), ["apply"]);
    await expectToWork(makeSituation(make, "drift"), ["apply"]);
  });
});

describe("recommended command", () => {
  const environments =
    "environments: { staging: { state: staging.json }, production: { state: production.json } }\n";
  const manifest = `${formatAll(format("Desk", "A."))}${environments}`;
  const ofStaging = ["--file", "our avatars.yaml", "--env", "staging"];

  async function startStaging(): Promise<Project> {
    const project = await startProject({ files: { "our avatars.yaml": manifest } });
    await project.expectDone("apply", "-y", ...ofStaging);
    return project;
  }

  test("repeats the manifest and environment options given to the recommending command", async () => {
    const project = await startStaging();
    await project.expectDone("hold", "--reason", "legal check", "context.desk", ...ofStaging);
    project.emulator.editContext("Desk", { prompt: "Edited." });
    const options = "--file 'our avatars.yaml' --env staging";
    for (const more of [[], ["--format", "markdown"]])
      expect(findRecommended(await project.avatarops("plan", ...ofStaging, ...more)).toSorted()).toEqual([
        `apply --overwrite-drift ${options}`,
        `pull context.desk ${options}`,
        `release context.desk ${options}`,
      ]);
    project.emulator.addContext({ name: "Theirs", prompt: "Hi." });
    const commands = findRecommended(await project.avatarops("plan", ...ofStaging));
    expect(commands.filter((command) => command.startsWith("import"))).toEqual([
      `import --write --all ${options}`,
    ]);
    const refused = await project.avatarops("release", ...ofStaging);
    expect(findRecommended(refused)).toEqual([`release context.desk ${options}`]);
    await project.expectDone("release", "context.desk", ...ofStaging);
    expect((await project.json("plan", ...ofStaging)).changes[0].notes).toEqual([]);
  });

  test("omits manifest and environment options that it does not accept", () => {
    const withoutThem = commands.filter(({ options = {} }) => !("env" in options)).map(({ name }) => name);
    expect(commandsWithoutProject).toEqual(expect.arrayContaining(withoutThem));
  });
});
