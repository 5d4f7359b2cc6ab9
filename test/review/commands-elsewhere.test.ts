/**
 * Tests that commands in logs, notices and descriptions name their project and environment. Each command runs in the
 * repository root, which has a project without environments.
 */
import { expect, test } from "vitest";
import { startTeam as startDriftTeam } from "../cli/drift-hosting.js";
import { startReceiver } from "../cli/receiver.js";
import { followFor, startTeam } from "../sync/team.js";
import { type Change, merge, startChange } from "./change.js";

const at = "bots/support/avatarops.yaml";
const staging = `--file ${at} --env staging`;
const production = `--file ${at} --env production`;

const formatDesk = (
  prompt: string,
  settings = "",
) => `${settings}contexts: { desk: { name: Desk, prompt: ${prompt} } }
environments:
  staging: { state: s.json, contexts: { desk: { name: Desk (staging) } } }
  production: { needs: [staging], state: p.json }
`;
const root = "contexts: { desk: { name: Root desk, prompt: Wait. } }\n";

/** Starts with both projects applied. */
async function start(settings = "", environment = {}): Promise<Change> {
  const files = {
    ".gitignore": "*.json\n.avatarops/\n",
    "avatarops.yaml": root,
    [at]: formatDesk("Be kind.", settings),
  };
  const change = await startChange("gitea", files, environment);
  for (const argv of [[], ["--file", at, "--env", "staging"], ["--file", at, "--env", "production"]])
    await change.project.expectDone("apply", "-y", ...argv);
  return change;
}

/** Returns each command in backticks, including commands wrapped by the terminal. */
function findCommands(text: string): string[] {
  const found = text.replace(/\s+/g, " ").matchAll(/`avatarops ([^`]+)`/g);
  return [...new Set([...found].map(([, command = ""]) => command))];
}

/** Returns the account's prompts by context name. */
const readPrompts = ({ project }: Change) =>
  Object.fromEntries(project.emulator.world.contexts.map(({ name, prompt }) => [name, prompt]));

/** Asserts that `text` contains the command, then runs it. */
function runCopied(change: Change, text: string, command: string, ...argv: string[]) {
  expect(findCommands(text)).toContain(command);
  return change.project.expectDone(...command.split(" "), ...argv);
}

const edit = (change: Change, name: string) =>
  change.project.emulator.editContext(name, { prompt: "Edited." });

test.each(["text", "json"])(
  "names each object's project in the commands that `plan --all` prints as %s",
  async (format) => {
    const change = await start();
    edit(change, "Desk (staging)");
    const { stdout } = await change.project.avatarops("plan", "--all", "--format", format);
    // The JSON document has no list of commands to copy, so this checks the commands in its messages.
    if (format === "json") {
      expect(JSON.parse(stdout).projects).toHaveLength(3);
      for (const command of findCommands(stdout)) expect(command).toContain("--file ");
      return;
    }
    const copied = `apply --overwrite-drift ${staging}`;
    expect(findCommands(stdout)).toEqual(expect.arrayContaining([`pull context.desk ${staging}`, copied]));
    await runCopied(change, stdout, copied, "-y");
    expect(readPrompts(change)).toEqual({
      "Root desk": "Wait.",
      "Desk (staging)": "Be kind.",
      Desk: "Be kind.",
    });
  },
);

test("names the rejected project in the commands that `apply --reviewed --all` logs", async () => {
  const change = await start();
  const options = ["--file", at, "--env", "staging"];
  await change.project.write(at, formatDesk("Be warm."));
  change.commit();
  await change.project.expectDone("hold", "--reason", "incident", ...options);
  expect(await change.review({}, "--all")).toMatchObject({ exit: 0 });
  merge(change);
  const { stdout, stderr } = await change.apply({}, "--all");
  const text = stdout + stderr;
  await runCopied(change, text, `apply --allow needs ${production}`, "-y");
  expect(readPrompts(change)).toEqual({
    "Root desk": "Wait.",
    "Desk (staging)": "Be kind.",
    Desk: "Be warm.",
  });
  await runCopied(change, text, `release ${staging}`);
  await change.project.expectDone("apply", "-y", ...options);
  expect(readPrompts(change)["Desk (staging)"]).toBe("Be warm.");
});

test("shows commands with the object's project in notices of an apply", async () => {
  const hook = await startReceiver();
  const change = await start("notify: [{ url: !env HOOK }]\n", { HOOK: hook.url });
  await change.project.write(at, formatDesk("Be warm.", "notify: [{ url: !env HOOK }]\n"));
  edit(change, "Desk (staging)");
  hook.take();
  await change.project.avatarops("apply", "-y", "--file", at, "--env", "staging");
  await change.project.avatarops("apply", "-y", "--file", at, "--env", "production");
  const text = hook.received.map(({ body }) => body).join("\n");
  await runCopied(change, text, `apply -y ${production} --allow needs`);
  expect(readPrompts(change)).toEqual({
    "Root desk": "Wait.",
    "Desk (staging)": "Edited.",
    Desk: "Be warm.",
  });
  const pull = `pull context.desk --ours ${staging}`;
  expect(findCommands(text)).toContain(pull);
  await change.project.expectDone(...pull.replace("--ours", "--theirs").split(" "), "-y");
  expect(await change.project.read(at)).toContain("Edited.");
});

test("includes the synced environment in the commands shown in sync notices and logs", async () => {
  const hook = await startReceiver();
  const team = await startTeam("contexts: {}\n", { environment: { HOOK: hook.url } });
  const state = /state: (.*)\n/.exec(team.git("show", "HEAD:avatarops.yaml"))?.[1] ?? "";
  await team.commit({
    "avatarops.yaml": root,
    [at]: `notify: [{ url: !env HOOK }]
contexts: { desk: { name: Desk, prompt: Be kind. } }
environments: { production: { needs: [staging], state: "${state}" }, staging: { state: "${state}-staging" } }
`,
  });
  // Runs eight cycles, because notices about a required environment are delayed by minutes.
  const { log } = await followFor(team, 8, () => {}, "--path", "bots/support", "--env", "production");
  const command = `apply --allow needs ${production}`;
  for (const text of [JSON.stringify(log), ...hook.received.map(({ body }) => body)])
    expect(findCommands(text)).toContain(command);
  expect(hook.received).toHaveLength(1);
  expect(await team.atDesk(...command.split(" "), "-y")).toMatchObject({ exit: 0 });
  expect(team.emulator.world.contexts).toMatchObject([{ name: "Desk" }]);
});

test("names the object's project in the command that a drift pull request shows", async () => {
  const files = {
    ".gitignore": "*.json\n.avatarops/\n",
    "avatarops.yaml": root,
    [at]: formatDesk("Be kind."),
  };
  const options = ["--file", at, "--env", "staging"];
  const { project, propose, pulls } = await startDriftTeam("gitea", { files, apply: [[], options] });
  project.emulator.editContext("Desk (staging)", { prompt: "Edited." });
  expect(await propose(...options)).toMatchObject({ result: "opened" });
  const command = `apply --overwrite-drift ${staging}`;
  expect(findCommands(pulls()[0]?.body ?? "")).toEqual([command]);
  await project.expectDone(...command.split(" "), "-y");
  expect(project.emulator.world.contexts.find(({ name }) => name.includes("staging"))?.prompt).toBe(
    "Be kind.",
  );
});
