/** Tests that a job that can never apply its commit fails without waiting for another environment. */
import { expect, test } from "vitest";
import { ada, type Change, merge, startChange } from "./change.js";
import { createCiVariables, createPushVariables } from "./job.js";

const formatManifest = (prompt: string, settings = "") =>
  `contexts: { desk: { name: Desk, prompt: ${prompt} } }
environments:
  staging: { state: s.json, contexts: { desk: { name: Desk (staging) } } }
  production: { state: p.json, needs: [staging]${settings} }
`;
const production = ["--env", "production"];

/** Reviews and merges a change that is not yet applied to staging. */
async function startMergedChange(settings = ""): Promise<Change> {
  const files = { "avatarops.yaml": formatManifest("Be kind."), ".gitignore": "*.json\n.avatarops/\n" };
  const change = await startChange("github", files);
  for (const env of ["staging", "production"]) await change.project.expectDone("apply", "-y", "--env", env);
  await change.project.write("avatarops.yaml", formatManifest("Be brief.", settings));
  change.commit();
  await change.review({}, ...production);
  merge(change);
  return change;
}

/** Runs the production job and counts its waits. */
async function applyProduction(change: Change, onWait: () => unknown = () => {}) {
  let waits = 0;
  let now = Date.now();
  const ran = await change.project.avataropsWith(
    {
      environment: { ...createCiVariables(change), ...createPushVariables(change, change.sha) },
      now: () => now,
      async pause(ms) {
        now += ms;
        waits += 1;
        await onWait();
      },
    },
    ...["apply", "--reviewed", "--lock-timeout", "10m", ...production],
  );
  return { exit: ran.exit, text: ran.stdout + ran.stderr, waits };
}

test.each([
  [
    "no review",
    "not-reviewed",
    "",
    ({ world }: Change) => {
      world.statuses.splice(0);
      world.comments.splice(0);
      Object.assign(world.pulls[0] ?? {}, { fromFork: true });
    },
  ],
  ["no approvals", "not-approved", ", reviews: { require_approval: 1 }", () => {}],
] as const)(
  "rejects a change with %s immediately, without waiting for staging",
  async (_, code, settings, prepare) => {
    const change = await startMergedChange(settings);
    prepare(change);
    const { exit, text, waits } = await applyProduction(change);
    expect([exit, waits], text).toEqual([7, 0]);
    expect(text).toContain(`error[${code}]`);
  },
);

test("applies an approved change after waiting for staging", async () => {
  const change = await startMergedChange(", reviews: { require_approval: 1 }");
  change.world.writers.push(ada);
  change.world.reviews.push({ by: ada, commit: change.sha, at: "2026-02-01T00:00:00Z" });
  const { exit, text, waits } = await applyProduction(change, () =>
    change.project.expectDone("apply", "-y", "--env", "staging"),
  );
  expect([exit, waits], text).toEqual([0, 1]);
  expect(text.replace(/\s+/g, " ")).toContain("Waiting until staging is up to date (context.desk).");
  expect(change.project.emulator.world.contexts.map(({ prompt }) => prompt)).toEqual([
    "Be brief.",
    "Be brief.",
  ]);
});
