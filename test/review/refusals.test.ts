/**
 * Tests that each rejected apply is reported with advice, and that the recommended command succeeds on a
 * laptop.
 */
import { expect, test } from "vitest";
import { createStopper } from "../cli/hosting.js";
import { type Change, listOutcomes, merge, startChange } from "./change.js";

/** Two environments in one account. */
const environments = `environments:
  staging: { state: s.json, contexts: { desk: { name: Desk of staging }, night: { name: Night of staging } } }
  production: { state: p.json, needs: [staging] }`;
const formatManifest = (prompt: string, settings = "") =>
  `${settings}${environments}\ncontexts: { desk: { name: Desk, prompt: ${prompt} }, night: { name: Night, prompt: ${prompt} } }\n`;
const production = ["--env", "production"];

interface Refusal {
  readonly settings?: string;
  /** Runs between the review and the job. */
  close?(change: Change): Promise<unknown> | unknown;
  /** Whether the change is not yet applied to staging. */
  readonly isBehind?: true;
  /** Runs the job. Default: `apply --reviewed`. */
  readonly job?: (change: Change) => ReturnType<Change["apply"]>;
  readonly says: readonly string[];
  /** Advice after "What to do next". */
  readonly next?: string;
  /** Commands in the comment, in order. */
  readonly commands: readonly string[];
  /** Index of the command to run (default: 0), or undefined for none. */
  readonly followed?: number | undefined;
}

const applyByDigest = (change: Change) =>
  change.project.avataropsWith(
    { environment: makeJobVariables(change) },
    ...["apply", "--digest", readDigest(change), ...production],
  );
const applyUnreviewed = (change: Change) =>
  change.project.avataropsWith(
    { environment: makeJobVariables(change) },
    "apply",
    "-y",
    ...["--allow", "needs"],
    ...production,
  );
const makeJobVariables = ({ options, sha }: Change) => ({
  ...{ GITHUB_ACTIONS: "true", GITHUB_SERVER_URL: options.webUrl, GITHUB_API_URL: options.apiUrl },
  ...{ GITHUB_REPOSITORY: options.repository, GITHUB_TOKEN: options.token.reveal(), GITHUB_SHA: sha },
});
const readDigest = ({ world }: Change) => /--digest (\S+)/.exec(world.comments[0]?.body ?? "")?.[1] ?? "";
const hold =
  (...addresses: string[]) =>
  ({ project }: Change) =>
    project.expectDone("hold", "--reason", "incident 42", ...addresses, ...production);
const edit = ({ project: { emulator } }: Change) => emulator.editContext("Desk", { prompt: "Edited." });

const refusals: Readonly<Record<string, Refusal>> = {
  needs: {
    isBehind: true,
    says: [
      "production needs staging, where the checked-out version of `context.desk`, `context.night` is not applied yet.",
    ],
    next: "apply the change to the required environment, then run the job again.",
    commands: ["apply --env staging", "apply --allow needs --env production"],
  },
  "needs an environment on hold": {
    isBehind: true,
    close: ({ project }) => project.expectDone("hold", "--reason", "incident 42", "--env", "staging"),
    says: ["is not applied yet, and staging is on hold", "incident 42."],
    next: "apply the change to the required environment, then run the job again.",
    commands: ["release --env staging", "apply --allow needs --env production"],
  },
  cancelled: {
    isBehind: true,
    job(change) {
      const { stop, onStoppable } = createStopper();
      return change.project.avataropsWith(
        { environment: makeJobVariables(change), onStoppable, pause: async () => stop("SIGTERM") },
        ...["apply", "--reviewed", "--lock-timeout", "10m", ...production],
      );
    },
    says: ["The command was stopped before it completed."],
    next: "run the job again.",
    commands: [],
  },
  held: {
    close: hold(),
    says: ["All objects are on hold", "incident"],
    next: "wait until the hold ends, then run the job again.",
    commands: ["release --env production", "apply --allow held --env production"],
    followed: 1,
  },
  threshold: {
    settings: "thresholds: { max_percent: 1, min_objects: 1 }\n",
    job: applyByDigest,
    says: ["The plan changes 2 of 2 managed objects"],
    commands: ["apply --digest DIGEST --env production --allow threshold"],
  },
  "all-vanished": {
    close: ({ project: { emulator } }) => emulator.world.contexts.splice(0),
    job: applyUnreviewed,
    says: ["None of the 2 objects recorded in the state is in the account."],
    commands: ["apply -y --allow needs --env production --allow all-vanished"],
  },
  "not-reviewed": {
    close({ world }) {
      world.statuses.splice(0);
      world.comments.splice(0);
    },
    says: [
      "Nothing was applied: the last commit of pull request `#7` has no status `avatarops/production` with a plan.",
    ],
    commands: ["apply --digest DIGEST --env production"],
  },
  "not-approved": {
    job: (change) => change.apply({}, ...production, "--require-approval", "1"),
    says: [
      "Nothing was applied: pull request `#7` has 0 of 1 approvals",
      "Have others approve the pull request and run the job again, if the host accepts approvals after a merge, or get the next pull request approved",
    ],
    commands: ["apply --digest DIGEST --env production"],
  },
  "stale-plan": {
    async close(change) {
      await change.project.write("avatarops.yaml", formatManifest("Be quick."));
      change.commit();
      await change.project.expectDone("apply", "-y", "--env", "staging");
      merge(change);
    },
    job: applyByDigest,
    says: ["The files, the account or the secrets have changed since"],
    commands: ["plan --env production", "apply --digest DIGEST --env production"],
    followed: 1,
  },
  policy: {
    async close({ project }) {
      const judge = `export default ({ changes }) => changes.map(({ address }) => ({ address, message: "is too brief" }));\n`;
      await project.write("judge.ts", judge);
      await project.write(
        "avatarops.yaml",
        formatManifest("Be brief.", "policies: { functions: [judge.ts] }\n"),
      );
    },
    job: applyUnreviewed,
    says: ["the plan violates policies", "**error** `judge`", "is too brief"],
    next: "merge a pull request that fixes the files. The apply after the merge includes the rest of this change.",
    commands: [],
  },
  "invalid-project": {
    close: ({ project }) => project.write("avatarops.yaml", `${environments}\ncontexts: { desk: {} }\n`),
    says: [],
    next: "merge a pull request that fixes the files. The apply after the merge includes the rest of this change.",
    commands: [],
  },
  conflicting: {
    close: edit,
    says: ["Edited in the dashboard, so apply skips it."],
    next: "decide whether to keep the dashboard edits. To keep them, run `avatarops pull context.desk --env production`, resolve the conflicts that it shows, and merge the changed files. To overwrite them, run `avatarops apply --overwrite-drift --env production`.",
    commands: [
      "pull context.desk --ours --env production",
      "apply --overwrite-drift --env production",
      "pull context.desk --env production",
    ],
  },
  ambiguous: {
    async close({ project: { emulator, write } }) {
      for (const prompt of ["One.", "Two."]) emulator.addContext({ name: "Late", prompt });
      const late = formatManifest("Be brief.").replace(
        "night: { name: Night,",
        "late: { name: Late, prompt: Hi }, night: { name: Night,",
      );
      await write("avatarops.yaml", late);
    },
    job: applyUnreviewed,
    says: ["Several objects match. Run `avatarops plan --env production` to see a command for each choice."],
    next: "choose one of the candidate objects. `avatarops plan --env production` prints the commands.",
    commands: ["plan --env production"],
    // Runs none, because `plan` fails until the user has chosen an object.
    followed: undefined,
  },
  "held objects": {
    close: hold("context.desk"),
    says: ["It is on hold"],
    next: "fix the problems that block the skipped objects, then run the job again.",
    commands: ["release context.desk --env production"],
  },
};

async function refuse({ settings, close, isBehind, job }: Refusal): Promise<Change> {
  const files = (prompt: string) => ({ "avatarops.yaml": formatManifest(prompt, settings) });
  const change = await startChange("github", {
    ...files("Be kind."),
    ".gitignore": "*.json\n.avatarops/\n",
  });
  const { project } = change;
  for (const env of ["staging", "production"])
    await project.expectDone("apply", "-y", ...["--allow", "threshold", "--allow", "needs"], "--env", env);
  for (const [file, text] of Object.entries(files("Be brief."))) await project.write(file, text);
  change.commit();
  await change.review({}, ...production);
  if (!isBehind) await project.expectDone("apply", "-y", "--allow", "threshold", "--env", "staging");
  merge(change);
  await close?.(change);
  const ran = await (job ?? ((one) => one.apply({}, ...production)))(change);
  expect(ran.exit, ran.stderr).not.toBe(0);
  return change;
}

const readOutcome = ({ world }: Change) => listOutcomes(world)[0] ?? "";
const findCommands = (text: string) => [
  ...new Set([...text.matchAll(/`avatarops ([^`]+)`/g)].map(([, command = ""]) => command)),
];

test.each(Object.entries(refusals))("shows the next steps for the outcome: %s", async (code, refusal) => {
  const { says, next, commands, followed } = { followed: 0, ...refusal };
  const change = await refuse(refusal);
  const text = readOutcome(change);
  for (const part of says) expect(text).toContain(part);
  expect(text).toContain(`\`${code.split(" ")[0]}\``);
  expect(/^What to do next: (.+)$/m.exec(text)?.[1]).toBe(next);
  expect(text).not.toContain("docs/");
  const found = findCommands(text);
  expect(found.map((command) => command.replace(/1:[\w-]{22}/, "DIGEST"))).toEqual(commands);
  const words = found[followed ?? found.length]?.split(" ") ?? [];
  if (words.length === 0) return;
  const asks = ["apply", "pull"].includes(words[0] ?? "") && !words.includes("--digest") ? ["-y"] : [];
  await change.project.expectDone(...words, ...asks);
});
