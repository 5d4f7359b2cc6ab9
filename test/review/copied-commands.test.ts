/** Tests that each command in a review comment succeeds in the repository root after the merge. */
import { expect, test } from "vitest";
import { type Change, startChange } from "./change.js";

const at = "bots/support/avatarops.yaml";
const project = ["--file", at, "--env", "production"];

/** Returns a manifest with two environments and a context for each key. */
const formatManifest = (prompts: Readonly<Record<string, string>>, settings = "", production = "") =>
  `${settings}environments: { staging: { state: s.json }, production: { state: p.json${production} } }
contexts:
${Object.entries(prompts)
  .map(([key, prompt]) => `  ${key}: { name: ${key}, prompt: ${prompt} }\n`)
  .join("")}`;
const createPrompts = (prompt: string) => ({ desk: prompt, night: prompt, gate: "Be kind." });

interface Situation {
  readonly settings?: string;
  /** Further settings for production. */
  readonly production?: string;
  /** Runs before the review. */
  begin?(change: Change): Promise<unknown> | unknown;
  /** Fulfills the condition that the comment states for the command. */
  fulfill?(change: Change): Promise<unknown> | unknown;
  readonly says?: readonly string[];
  readonly saysNot?: readonly string[];
  /** Commands in the comment, in order. */
  readonly commands: readonly string[];
}

const formatApply = (more = "") => `apply --file ${at} --env production --digest DIGEST${more}`;
const options = `--file ${at} --env production`;
const edit = ({ project: { emulator } }: Change) => emulator.editContext("gate", { prompt: "Edited." });

const situations: Readonly<Record<string, Situation>> = {
  "of a plain change": { commands: [formatApply()], saysNot: ["--allow", "once"] },
  "of a change above a threshold": {
    settings: "thresholds: { max_percent: 10, min_objects: 1 }\n",
    says: ["`apply --reviewed` does not need `--allow threshold`."],
    saysNot: ["apply needs --allow"],
    commands: [formatApply(" --allow threshold")],
  },
  "while all objects are on hold": {
    begin: ({ project: { expectDone } }) => expectDone("hold", "--reason", "incident 42", ...project),
    fulfill: ({ project: { expectDone } }) => expectDone("release", ...project),
    says: ["To apply exactly this plan after the merge, once the hold has ended:"],
    commands: [`release ${options}`, formatApply()],
  },
  "while an object is on hold": {
    begin: ({ project: { expectDone } }) =>
      expectDone("hold", "--reason", "legal check", "context.desk", ...project),
    fulfill: ({ project: { expectDone } }) => expectDone("release", "context.desk", ...project),
    says: ["To apply exactly this plan after the merge, once the hold has ended:"],
    commands: [`release context.desk ${options}`, formatApply()],
  },
  "of an environment that needs another environment": {
    production: ", needs: [staging], contexts: { desk: { opening_text: Hi } }",
    fulfill: ({ project: { expectDone } }) => expectDone("apply", "-y", "--file", at, "--env", "staging"),
    says: ["To apply exactly this plan after the merge, once `staging` has it:"],
    commands: [formatApply()],
  },
  "next to a dashboard edit": {
    begin: edit,
    says: ["Edited in the dashboard, so apply skips it."],
    commands: [`pull context.gate ${options}`, `apply --overwrite-drift ${options}`, formatApply()],
  },
  "of files that overwrite dashboard edits": {
    settings: "drift: overwrite\n",
    begin: edit,
    says: ["Edited in the dashboard, and apply overwrites the edit."],
    saysNot: ["skips it", "Overwrite it"],
    commands: [`pull context.gate ${options}`, formatApply()],
  },
};

async function begin({ settings, production, begin }: Situation): Promise<Change> {
  const files = (prompt: string) => ({ [at]: formatManifest(createPrompts(prompt), settings, production) });
  const change = await startChange("github", { ...files("Be kind."), ".gitignore": "*.json\n.avatarops/\n" });
  for (const env of ["staging", "production"])
    await change.project.expectDone(
      "apply",
      "-y",
      ...["--allow", "threshold", "--allow", "needs"],
      "--file",
      at,
      "--env",
      env,
    );
  for (const [file, text] of Object.entries(files("Be brief."))) await change.project.write(file, text);
  change.commit();
  await begin?.(change);
  expect(await change.review({}, ...project)).toMatchObject({ exit: 0 });
  return change;
}

/** Returns the commands in the comment's text and code block. */
function findCommands({ world }: Change): string[] {
  const [{ body = "" } = {}] = world.comments;
  return [...body.matchAll(/`avatarops ([^`]+)`|^avatarops (.+)$/gm)].map(
    ([, inText = "", inBlock = ""]) => inText || inBlock,
  );
}

test.each(Object.entries(situations))(
  "prints commands that work when copied from the review %s",
  async (_, situation) => {
    const { says = [], saysNot = [], commands, fulfill } = situation;
    const first = await begin(situation);
    const [{ body = "" } = {}] = first.world.comments;
    for (const text of says) expect(body).toContain(text);
    for (const text of saysNot) expect(body).not.toContain(text);
    const found = [...new Set(findCommands(first))];
    expect(found.map((command) => command.replace(/1:[\w-]{22}/, "DIGEST"))).toEqual(commands);
    for (const [index, command] of found.entries()) {
      const change = index === 0 ? first : await begin(situation);
      if (command.includes("--digest")) await fulfill?.(change);
      const own = [...new Set(findCommands(change))][index] ?? "";
      const asks = /^(pull|apply)/.test(own) && !own.includes("--digest") ? ["--auto-approve"] : [];
      await change.project.expectDone(...own.split(" "), ...asks);
    }
  },
);

test("prints no apply command for a plan that would be rejected or writes nothing", async () => {
  const situation = { commands: [] };
  const gone = await begin(situation);
  gone.project.emulator.world.contexts.splice(0);
  await gone.review({}, ...project);
  expect(gone.world.comments[0]?.body).toContain("None of the 3 objects recorded in the state");
  expect(findCommands(gone)).toEqual([]);

  const edited = await begin(situation);
  await edited.project.write(at, formatManifest(createPrompts("Be kind.")));
  edit(edited);
  await edited.review({}, ...project);
  expect(findCommands(edited)).toEqual([
    `pull context.gate ${options}`,
    `apply --overwrite-drift ${options}`,
  ]);
});
