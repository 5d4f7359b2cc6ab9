/** Each command that a message recommends succeeds where it is recommended. */
import { describe, expect, test } from "vitest";
import { emptyDataset, type LlmConfiguration } from "../../src/emulator/index.js";
import { commands } from "../../src/entrypoints/cli/commands.js";
import { commandsWithoutProject } from "../../src/output/render/index.js";
import {
  type Beginning,
  type Project,
  type Ran,
  saying,
  startApplied,
  startProject,
  succeed,
} from "./hosting.js";

type Situation = () => Promise<{ readonly project: Project; readonly ran: Ran }>;

/** Options without which a command asks, or only shows what it would do. */
const options: Readonly<Record<string, readonly string[]>> = {
  apply: ["--auto-approve"],
  pull: ["--auto-approve"],
  prune: ["--auto-approve"],
  rollback: ["--auto-approve"],
};

/** The recommended commands, without those that are for CI. */
function recommended({ stdout, stderr }: Ran): string[] {
  const said = `${stdout} ${stderr}`.replace(/\s+/g, " ");
  const found = [...said.matchAll(/(in CI, )?`avatarops ([^`]+)`/g)];
  return [...new Set(found.flatMap(([, inCi, command = ""]) => (inCi ? [] : [command])))];
}

/** Runs each recommended command in a situation of its own. The ids of `expected` are written as ID. */
async function expectToWork(begin: Situation, expected: readonly string[]): Promise<void> {
  const commands = recommended((await begin()).ran);
  const id = /[\da-f]{8}-[\da-f-]{27}/g;
  expect(commands.map((command) => command.replace(id, "ID"))).toEqual(expected);
  for (const at of commands.keys()) {
    const { project, ran } = await begin();
    const words = recommended(ran)[at]?.split(" ") ?? [];
    const again = await project.avatarops(...words, ...(options[words[0] ?? ""] ?? []));
    expect(again, `${words.join(" ")}\n${again.stdout}${again.stderr}`).toMatchObject({ exit: 0 });
  }
}

const context = (key: string, prompt: string, more = "") =>
  `  ${key.toLowerCase()}: { name: ${key}, prompt: ${prompt}${more} }\n`;
const contexts = (...lines: readonly string[]) =>
  `contexts:${lines.length > 0 ? `\n${lines.join("")}` : " {}\n"}`;
const deletable = "service: { profile: liveavatar }\n";
const withProfile = (): Beginning => ({
  world: emptyDataset(),
  emulator: { profile: "liveavatar" },
  environment: { KEY: "one" },
});
const secret = (key: string, more = "") =>
  `  ${key}: { secret_name: ${key}, secret_type: LLM_API_KEY, secret_value: !env KEY${more} }\n`;
const configuration = (used: string) =>
  `${deletable}secrets:\n${secret("a")}${secret("b")}llm_configurations: { main: { display_name: Main, model_name: gpt-4o, secret: ${used} } }\n`;

/** Applies these manifests in turn. */
async function appliedInTurn(manifests: readonly string[], beginning: Beginning = {}): Promise<Project> {
  const [first = "", ...others] = manifests;
  const project = await startApplied({ ...beginning, files: { "avatarops.yaml": first } });
  for (const text of others) {
    await project.write("avatarops.yaml", text);
    await project.expectDone("apply", "-y");
  }
  return project;
}

/** A project as it is left, and the command whose advice is followed. */
const situation =
  (make: () => Promise<Project>, ...argv: readonly string[]): Situation =>
  async () => {
    const project = await make();
    return { project, ran: await project.avatarops(...argv) };
  };

const contextId = (project: Project, name: string) =>
  project.emulator.world.contexts.find((one) => one.name === name)?.id ?? "";

describe("the commands that rollback recommends succeed", () => {
  const back = ["rollback", "--to", "1", "-y"];
  const all = (text: string) => contexts(context("Desk", text), context("Door", text), context("Gate", text));

  test("where it puts objects on hold, and leaves an edited one alone", async () => {
    const make = async () => {
      const project = await appliedInTurn([all("A."), all("B.")]);
      project.emulator.editContext("Gate", { prompt: "Edited." });
      return project;
    };
    await expectToWork(situation(make, ...back), [
      "pull context.gate",
      "release context.desk context.door",
      "pull context.desk context.door",
    ]);
    await expectToWork(situation(make, ...back, "--no-hold"), [
      "pull context.gate",
      "pull context.desk context.door",
    ]);
  });

  test("where no file declares what it brings back", async () => {
    const make = async () => {
      const project = await appliedInTurn([all("A."), all("B.")]);
      await project.write("avatarops.yaml", contexts(context("Desk", "B.")));
      return project;
    };
    await expectToWork(situation(make, ...back), [
      "release context.desk context.door context.gate",
      "pull context.desk",
    ]);
  });

  test("where objects are no longer managed, or were deleted", async () => {
    const before = `${deletable}${contexts(context("Desk", "A."), context("Door", "A."), context("Gate", "A.", ", on_removal: delete"))}`;
    const make = () =>
      appliedInTurn([before, `${deletable}${contexts(context("Desk", "A."))}`], withProfile());
    await expectToWork(situation(make, ...back), [
      "import --write context.door ID",
      "show context.gate --at 1",
    ]);
  });

  test("where a secret is no longer managed, once it is declared again", async () => {
    const secrets = `secrets:\n${secret("a")}`;
    const texts = [all("A."), all("B.")] as const;
    const project = await appliedInTurn(
      [`${deletable}${texts[0]}${secrets}`, `${deletable}${texts[1]}`],
      withProfile(),
    );
    const ran = await project.expectDone(...back);
    const [importing = ""] = recommended(ran).filter((command) => command.startsWith("import"));
    await project.write("avatarops.yaml", `${deletable}${texts[0]}${secrets}`);
    await project.expectDone(...importing.split(" "));
    // Nothing was recorded of its value.
    const declared = `${deletable}${texts[0]}secrets:\n${secret("a", ", secret_value_version: 1")}`;
    await project.write("avatarops.yaml", declared);
    await project.expectApplied();
  });

  test("where an address was never managed", async () => {
    const make = () => appliedInTurn([all("A.")]);
    await expectToWork(situation(make, ...back, "context.other"), ["history"]);
    await expectToWork(situation(make, "show", "context.other", "--at", "1"), ["history"]);
  });
});

describe("the commands that drift, plan and apply recommend succeed", () => {
  const edited =
    (...declared: readonly string[]) =>
    async () => {
      const project = await appliedInTurn([contexts(context("Desk", "A."), context("Door", "A."))]);
      for (const name of ["Desk", "Door"]) project.emulator.editContext(name, { prompt: "Edited." });
      await project.write("avatarops.yaml", contexts(...declared));
      return project;
    };
  const overwrite = "apply --overwrite-drift";

  test("where objects were edited elsewhere", async () => {
    const make = edited(context("Desk", "A."), context("Door", "A."));
    await expectToWork(situation(make, "drift"), ["pull", overwrite]);
    await expectToWork(situation(make, "plan"), ["pull context.desk", overwrite, "pull context.door"]);
    await expectToWork(situation(make, "apply", "-y"), ["pull context.desk", "pull context.door", overwrite]);
  });

  test("where the files changed as well", async () => {
    const make = edited(context("Desk", "B."), context("Door", "B."));
    await expectToWork(situation(make, "drift"), ["pull context.desk", "pull context.door", overwrite]);
    await expectToWork(situation(make, "pull"), ["pull context.desk", overwrite, "pull context.door"]);
  });

  test("and it is not said that apply skips what --overwrite-drift overwrites", async () => {
    const make = edited(context("Desk", "B."));
    const { ran } = await situation(make, "apply", "-y", "--overwrite-drift")();
    expect(ran).toMatchObject({ exit: 0, stderr: saying("and apply overwrites the edit.") });
    expect(ran.stderr).not.toEqual(saying("skips it"));
    expect(ran.stderr).not.toEqual(saying("Overwrite it"));
  });

  test("where a saved plan is above a threshold", async () => {
    const make = async () => {
      const project = await appliedInTurn([contexts(context("Desk", "A."))]);
      const text = `thresholds: { max_percent: 1, min_objects: 1 }\n${contexts(context("Desk", "B."))}`;
      await project.write("avatarops.yaml", text);
      return project;
    };
    await expectToWork(situation(make, "plan", "--out", "plan.json"), [
      "apply --force",
      "apply plan.json --force",
    ]);
  });

  test("where no file declares what was edited", async () => {
    await expectToWork(situation(edited(), "drift"), []);
    await expectToWork(situation(edited(context("Desk", "A.")), "drift"), ["pull", overwrite]);
  });

  test("where an object refers to another one than was applied", async () => {
    const make = async () => {
      const project = await appliedInTurn([configuration("a")], withProfile());
      const { secrets, llmConfigurations } = project.emulator.world;
      const [main] = llmConfigurations as LlmConfiguration[];
      const other = secrets.find(({ secret_name: name }) => name === "b");
      if (main && other) main.secret_id = other.id;
      return project;
    };
    for (const argv of [["drift"], ["plan"], ["apply", "-y"]])
      await expectToWork(situation(make, ...argv), [overwrite]);
    const project = await make();
    await project.write("avatarops.yaml", configuration("b"));
    await project.expectApplied();
  });

  test("where an object is gone", async () => {
    const make = async () => {
      const project = await appliedInTurn([contexts(context("Desk", "A."), context("Door", "A."))]);
      project.emulator.removeContext("Desk");
      return project;
    };
    await expectToWork(situation(make, "drift"), []);
    const project = await make();
    await project.write("avatarops.yaml", contexts(context("Door", "A.")));
    await project.expectApplied();
    await project.expectDone("drift");
  });

  test("where no file declares an object", async () => {
    const make = async () => {
      const project = await appliedInTurn([contexts(context("Desk", "A."))]);
      project.emulator.addContext({ name: "Theirs", prompt: "Hi." });
      return project;
    };
    await expectToWork(situation(make, "plan"), ["prune", "import --write --all"]);
  });

  test("where all objects and one of them are on hold", async () => {
    const make = async () => {
      const project = await appliedInTurn([contexts(context("Desk", "A."))]);
      await project.expectDone("hold", "--reason", "incident 42");
      await project.expectDone("hold", "--reason", "legal check", "context.desk");
      await project.write("avatarops.yaml", contexts(context("Desk", "B.")));
      return project;
    };
    await expectToWork(situation(make, "plan"), ["release", "release context.desk"]);
    const one = async () => {
      const project = await make();
      await project.expectDone("release");
      return project;
    };
    await expectToWork(situation(one, "plan"), ["release context.desk"]);
    await expectToWork(situation(one, "release"), ["release context.desk"]);
  });

  test("where another address takes over a protected object", async () => {
    const make = async () => {
      const project = await appliedInTurn([contexts(context("Desk", "A.", ", protect: true"))]);
      await project.write("avatarops.yaml", contexts(context("Desk", "A.").replace("desk:", "table:")));
      return project;
    };
    for (const argv of [["plan"], ["apply", "-y"]])
      await expectToWork(situation(make, ...argv), ["state forget context.desk"]);
  });

  test("where a superseded secret is not as it was recorded", async () => {
    const manifest = `${deletable}secrets:\n${secret("a", ", on_rotation: delete_old")}`;
    const make = async () => {
      const project = await appliedInTurn(
        [manifest.replace("on_rotation: delete_old", "on_rotation: keep_old")],
        withProfile(),
      );
      await succeed(project.avataropsWith({ environment: { KEY: "two" } }, "apply", "-y"));
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
    await expectToWork(plan, ["prune ID", "prune", "import --write --all"]);
  });
});

describe("the commands that a taken name, address or id recommends succeed", () => {
  test("where an object gets the name of another one of the account", async () => {
    const make = async () => {
      const project = await appliedInTurn([contexts(context("Desk", "A."))]);
      project.emulator.addContext({ name: "Theirs", prompt: "Hi." });
      await project.write("avatarops.yaml", contexts(context("Desk", "A.").replace("Desk,", "Theirs,")));
      return project;
    };
    const apply = situation(make, "apply", "-y", "-q");
    expect((await apply()).ran.stdout).toEqual(saying("Choose another name, or rename that one there."));
    await expectToWork(apply, []);
  });

  test("where an object is managed at another address", async () => {
    const two = contexts(context("Desk", "A."), context("Door", "A."));
    const importing =
      (address: string, declared = two, ...more: readonly string[]): Situation =>
      async () => {
        const project = await appliedInTurn([two]);
        await project.write("avatarops.yaml", declared);
        return {
          project,
          ran: await project.avatarops("import", ...more, address, contextId(project, "Door")),
        };
      };
    const other = `${two}${context("Gate", "A.")}`;
    await expectToWork(importing("context.gate", other), ["state mv context.door context.gate"]);
    await expectToWork(importing("context.gate", two, "--write"), ["state mv context.door context.gate"]);
    await expectToWork(importing("context.gate", contexts(context("Desk", "A.")), "--write"), [
      "import --write context.door ID",
    ]);
    // One after the other, as the sentence says.
    const { project, ran } = await importing("context.desk")();
    expect(recommended(ran)).toEqual(["state forget context.desk", "state mv context.door context.desk"]);
    for (const command of recommended(ran)) await project.expectDone(...command.split(" "));
  });

  test("where an address is unknown, and nothing is managed yet", async () => {
    const make = () => startProject({ files: { "avatarops.yaml": contexts(context("Desk", "A.")) } });
    await expectToWork(situation(make, "plan", "--target", "context.x*"), ["state list"]);
    await expectToWork(situation(make, "state", "show", "context.desk"), ["apply"]);
    await expectToWork(situation(make, "drift"), ["apply"]);
  });
});

describe("a recommended command", () => {
  const environments =
    "environments: { staging: { state: staging.json }, production: { state: production.json } }\n";
  const manifest = `${contexts(context("Desk", "A."))}${environments}`;
  const ofStaging = ["--file", "our avatars.yaml", "--env", "staging"];

  async function startStaging(): Promise<Project> {
    const project = await startProject({ files: { "our avatars.yaml": manifest } });
    await project.expectDone("apply", "-y", ...ofStaging);
    return project;
  }

  test("is about the manifest and the environment of the command that recommends it", async () => {
    const project = await startStaging();
    await project.expectDone("hold", "--reason", "legal check", "context.desk", ...ofStaging);
    project.emulator.editContext("Desk", { prompt: "Edited." });
    const options = "--file 'our avatars.yaml' --env staging";
    for (const more of [[], ["--format", "markdown"]])
      expect(recommended(await project.avatarops("plan", ...ofStaging, ...more)).toSorted()).toEqual([
        `apply --overwrite-drift ${options}`,
        `pull context.desk ${options}`,
        `release context.desk ${options}`,
      ]);
    project.emulator.addContext({ name: "Theirs", prompt: "Hi." });
    const said = recommended(await project.avatarops("plan", ...ofStaging));
    expect(said.filter((command) => command.startsWith("import"))).toEqual([
      `import --write --all ${options}`,
    ]);
    const refused = await project.avatarops("release", ...ofStaging);
    expect(recommended(refused)).toEqual([`release context.desk ${options}`]);
    await project.expectDone("release", "context.desk", ...ofStaging);
    expect((await project.json("plan", ...ofStaging)).changes[0].notes).toEqual([]);
  });

  test("has these options only where it takes them", () => {
    const withoutThem = commands.filter(({ options = {} }) => !("env" in options)).map(({ name }) => name);
    expect(commandsWithoutProject).toEqual(expect.arrayContaining(withoutThem));
  });
});
