import { expect } from "vitest";
import type { Emulator } from "../../src/emulator/index.js";
import type { Ended } from "../installing.js";
import { type Clone, type CloneOptions, checkoutOf, cloneOf } from "./clone.js";
import type { CodeHost } from "./code-host.js";

/*
 * A team's week from start to end. Ada and Ben have clones on their desks; runners have checkouts of one commit, which live for one job;
 * state and history are on a ref of the repository. Every change of the account is planned once more, and nothing is left to do.
 */

/** The part of a record in the history that the week looks at. */
interface RecordShown {
  readonly commit?: { readonly id: string };
}

const prompt = "contexts/welcome.md";

/** Walks through the week on a code host, with an account of the service that is empty at first. */
export async function walkThroughTheWeek(
  host: CodeHost,
  emulator: Emulator,
  options: CloneOptions,
): Promise<void> {
  const runnerAt = (commit: string) => checkoutOf(host.remote, commit, { ...options, name: "Runner" });
  const welcome = () => {
    const found = emulator.world.contexts.filter(({ name }) => name === "Welcome");
    expect(found).toHaveLength(1);
    return found[0] as (typeof found)[number];
  };
  const writes = () => emulator.requests.filter(({ method }) => method !== "GET").length;

  // Monday. Ada makes the repository. The pipeline applies what is on main, for the first time.
  const ada = await cloneOf(host.remote, { ...options, name: "Ada" });
  await ada.git("checkout", "--quiet", "-B", "main");
  expectDone(await ada.avatarops("init", "."));
  ada.edit("avatarops.yaml", (text) => `${text}\nstate: git+refs://origin/avatarops/production\n`);
  await push(ada, "Describe the avatars", "main");
  const begun = await ada.git("rev-parse", "HEAD");
  const first = await runnerAt(begun);
  expectDone(await first.avataropsIn(await host.jobFor({ commit: begun }), "apply", "--auto-approve"));
  expect(welcome().prompt).toContain("fetch a colleague");
  const promptOfMonday = welcome().prompt;
  // No clone has the state, and no branch was made for it.
  expect(await ada.git("ls-remote", "origin")).toMatch(/\trefs\/avatarops\/production$/m);
  expect(await ada.git("ls-remote", "--heads", "origin")).toMatch(/^\w+\trefs\/heads\/main$/);
  await expectNothingToDo(await runnerAt(begun));

  // Tuesday. Ben, who writes no code, changes the prompt on a branch: a paragraph is moved, words change, callers must pass a new value.
  const ben = await cloneOf(host.remote, { ...options, name: "Ben" });
  await ben.git("checkout", "--quiet", "-b", "kinder");
  ben.edit(prompt, (text) => text.replace("in short sentences\n", "in ${language}, in short sentences\n"));
  await push(ben, "Speak the visitor's language", "kinder");
  const asked = await host.openPullRequest("kinder", "Speak the visitor's language");
  const before = writes();
  const early = await host.review(await runnerAt(await ben.git("rev-parse", "HEAD")), asked);
  expect(early.comments).toHaveLength(1);
  expect(early.comments[0]).toContain("context.welcome");
  expect(early.comments[0]).toContain("${language}");
  ben.edit(prompt, moveLastParagraphUp);
  await push(ben, "Say first what to do without an answer", "kinder");
  const head = await ben.git("rev-parse", "HEAD");
  const reviewed = await host.review(await runnerAt(head), asked);
  expect(reviewed.comments).toHaveLength(1);
  expect(reviewed.comments[0]).toMatch(/moved/i);
  expect(reviewed.digest).not.toBe(early.digest);
  expect(writes()).toBe(before);

  // Wednesday. Ada merges. The plan of the first push is not what was reviewed last: it is refused. Then two runners apply at once.
  const merged = await host.merge(asked);
  const stale = await (await runnerAt(merged)).avatarops("apply", "--digest", early.digest);
  expect(stale).toMatchObject({ exit: 5 });
  expect(writes()).toBe(before);
  const runners = await Promise.all([runnerAt(merged), runnerAt(merged)]);
  const job = await host.jobFor({ commit: merged });
  const apply = ["apply", "--lock-timeout", "1m", ...host.optionsToApply(reviewed)];
  const ended = await Promise.all(runners.map((runner) => runner.avataropsIn(job, ...apply)));
  // The one who comes second finds nothing to do, or a plan that is no longer the one that was reviewed.
  expect(
    ended
      .map(({ exit }) => exit)
      .toSorted()
      .join(),
    said(...ended),
  ).toMatch(/^0,[05]$/);
  expect(writes()).toBe(before + 1);
  expect(welcome().prompt).toContain("${language}");
  const promptOfWednesday = welcome().prompt;
  await expectNothingToDo(await runnerAt(merged));

  // Thursday. A colleague edits the prompt in the dashboard. It is found, brought back by a pull request, and merged.
  const edited = welcome().prompt.replace("a colleague", "somebody from the workshop");
  emulator.editContext(welcome().id, { prompt: edited });
  const watching = await runnerAt(merged);
  const drifted = await watching.avatarops("drift");
  expect(drifted, said(drifted)).toMatchObject({ exit: 2 });
  expect(drifted.stdout).toContain("somebody from the workshop");
  const refused = await watching.avatarops("apply", "--auto-approve");
  expect(welcome().prompt, said(refused)).toBe(edited);
  const proposed = await host.bringBack(watching, merged);
  const mergedBack = await host.merge(proposed);
  await ben.git("fetch", "--quiet", "origin", "main");
  expect(await ben.git("show", `origin/main:${prompt}`)).toContain("somebody from the workshop");
  const beforeRecording = writes();
  const recording = await (await runnerAt(mergedBack)).avatarops("apply", "--auto-approve");
  expectDone(recording);
  expect(writes()).toBe(beforeRecording);
  await expectNothingToDo(await runnerAt(mergedBack));
  expect((await (await runnerAt(mergedBack)).avatarops("drift")).exit).toBe(0);

  // Friday. The words of Wednesday were better. Ada finds them in the history and goes back, in the account and in the files.
  await ada.git("pull", "--quiet", "origin", "main");
  const history = await ada.avatarops("history", "context.welcome", "--format", "json");
  expectDone(history);
  const commits = JSON.parse(history.stdout).records.map((record: RecordShown) => record.commit?.id);
  expect(commits.slice(-2)).toEqual([merged, begun]);
  expect(commits).toHaveLength(3);
  const shown = await ada.avatarops("show", "context.welcome", "--at", merged);
  expectDone(shown);
  expect(shown.stdout).toContain("fetch a colleague");
  const differences = await ada.avatarops("history", "context.welcome", `${merged}..`);
  expectDone(differences);
  expect(differences.stdout).toContain("somebody from");
  const back = ["rollback", "--to", merged, "--write", "--auto-approve", "context.welcome"];
  expectDone(await ada.avatarops(...back));
  expect(welcome().prompt).toBe(promptOfWednesday);
  expect(ada.read(prompt)).not.toContain("somebody from the workshop");
  await push(ada, "Go back to the words of Wednesday", "main");
  await expectNothingToDo(await runnerAt(await ada.git("rev-parse", "HEAD")));
  expect(welcome().prompt).not.toBe(promptOfMonday);
}

async function push(clone: Clone, message: string, branch: string): Promise<void> {
  await clone.git("add", "--all");
  await clone.git("commit", "--quiet", "--message", message);
  await clone.git("push", "--quiet", "origin", branch);
}

function moveLastParagraphUp(text: string): string {
  const [head = "", body = ""] = text.split(/(?<=^---\n[\s\S]*^---\n)/m);
  const paragraphs = body.trimEnd().split("\n\n");
  return `${head}${[paragraphs.at(-1), ...paragraphs.slice(0, -1)].join("\n\n")}\n`;
}

async function expectNothingToDo(clone: Clone): Promise<void> {
  const planned = await clone.avatarops("plan", "--detailed-exitcode");
  expect(planned, said(planned)).toMatchObject({ exit: 0 });
}

function expectDone(ended: Ended): void {
  expect(ended, said(ended)).toMatchObject({ exit: 0 });
}

function said(...ended: readonly Ended[]): string {
  return ended.map(({ exit, stdout, stderr }) => `exit ${exit}\n${stdout}${stderr}`).join("\n");
}
