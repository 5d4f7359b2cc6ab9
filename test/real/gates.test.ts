// @module-tag night
/** Tests gates, comments and job order on a real Gitea with two environments. */
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { RunnerJob } from "./gitea-actions.js";
import {
  createPromptFile,
  createToneFile,
  desks,
  type EnvironmentTeam,
  quote,
  startEnvironmentTeam,
} from "./gitea-environments.js";
import type { Pull } from "./gitea-team.js";

describe("pipeline with two environments on a real Gitea", { tags: ["gitea", "act"] }, () => {
  vi.setConfig({ testTimeout: 1_200_000, hookTimeout: 600_000 });
  let team: EnvironmentTeam;
  beforeAll(async () => {
    team = await startEnvironmentTeam();
  });
  afterAll(() => team.close());
  afterEach(() => team.expectSettled());

  const outcomes = (pull: Pull) => team.comments(pull, "outcome");
  const review = async (pull: Pull) => (await team.comments(pull, "review")).join("\n");
  /** Returns the text on one line, without box-drawing characters. */
  const flat = (text: string) => text.replaceAll(/[│\s]+/g, " ");

  test("keeps a dashboard edit in production after a merge that changes only README.md", async () => {
    const pull = await team.propose("readme", { "README.md": "Our avatars\n" });
    team.edit("production", "orders", "You help with orders, quickly.");
    const commit = await team.land(pull);
    const log = await team.applies(0, 0);
    expect(flat(log)).toMatch(/skipped context\.orders/);
    expect(await team.combined(commit)).toBe("success");
    expect(team.live("production", "orders")).toBe("You help with orders, quickly.");
    quote("a. README", {
      review: await review(pull),
      outcomes: (await outcomes(pull)).join("\n~~~\n"),
      log,
      chat: team.hear(),
    });
    team.edit("production", "orders");
  });

  test("applies a reviewed change to production despite a drifted prompt in staging", async () => {
    const pull = await team.propose(
      "returns",
      createPromptFile("returns", "You help with returns and exchanges."),
    );
    team.edit("staging", "orders", "You try orders.");
    const commit = await team.land(pull);
    const log = await team.applies(0, 0);
    expect(await team.combined(commit)).toBe("success");
    expect(team.live("production", "returns")).toBe("You help with returns and exchanges.");
    expect(team.live("staging", "orders")).toBe("You try orders.");
    const comments = await outcomes(pull);
    expect(comments).toEqual([
      expect.stringMatching(/^### `avatarops\/staging`: 1 applied, 1 skipped/),
      expect.stringMatching(/^### `avatarops\/production`: 1 applied/),
    ]);
    quote("b. drift in staging", {
      review: await review(pull),
      outcomes: comments.join("\n~~~\n"),
      log,
      chat: team.hear(),
    });
    team.edit("staging", "orders");
  });

  test("applies to production without waiting if staging only skips a conflict", async () => {
    const pull = await team.propose("conflict", {
      ...createPromptFile("orders", "You help with orders and invoices."),
      "avatarops.yaml": `${team.manifest}    contexts: { door: { name: door, prompt: Open it. } }\n`,
    });
    team.edit("staging", "orders", "You try orders.");
    const commit = await team.land(pull);
    const log = await team.applies(3, 3);
    expect(log).not.toContain("Waiting until staging");
    expect(await team.combined(commit)).toBe("failure");
    expect(team.production.world.contexts.map(({ name }) => name)).toContain("door");
    expect(team.live("production", "orders")).toBe("You help with orders.");
    const comments = await outcomes(pull);
    expect(comments).toEqual([
      expect.stringMatching(/^### `avatarops\/staging`: 1 skipped/),
      expect.stringMatching(/^### `avatarops\/production`: 1 applied, 1 skipped/),
    ]);
    quote("j. conflict in staging", {
      review: await review(pull),
      outcomes: comments.join("\n~~~\n"),
      log,
      chat: team.hear(),
    });

    team.edit("staging", "orders");
    await team.rerun(commit);
    await team.applies(0, 0);
    expect(await team.combined(commit)).toBe("success");
    expect(team.live("production", "orders")).toBe("You help with orders and invoices.");
    quote("j. after the edit was undone", {
      outcomes: (await outcomes(pull)).join("\n~~~\n"),
      chat: team.hear(),
    });
  });

  test("rejects an unapproved merge, and applies its change with a later approved merge", async () => {
    const seven = await team.propose("seven", createPromptFile("gifts", "You help with gifts and cards."));
    await team.merge(seven);
    const refused = await team.applies(0, 7);
    expect(flat(refused)).toContain(`pull request #${seven.number} has 0 of 1 approvals`);
    expect(await team.combined(team.git("rev-parse", "main"))).toBe("failure");
    const before = await outcomes(seven);
    expect(before[1]).toMatch(/^### `avatarops\/production`: nothing was applied/);
    quote("c. #7 refused", { outcomes: before.join("\n~~~\n"), log: refused, chat: team.hear() });

    const eight = await team.propose(
      "eight",
      createPromptFile("repairs", "You help with repairs and parts."),
    );
    const shown = await review(eight);
    expect(shown).toMatch(/context\.gifts[\s\S]*context\.repairs|context\.repairs[\s\S]*context\.gifts/);
    const commit = await team.land(eight);
    const log = await team.applies(0, 0);
    expect(await team.combined(commit)).toBe("success");
    expect(team.live("production", "gifts")).toBe("You help with gifts and cards.");
    expect(team.live("production", "repairs")).toBe("You help with repairs and parts.");
    const after = await outcomes(seven);
    expect(after[1]).toMatch(/^### `avatarops\/production`: 2 applied/);
    quote("c. #8 applied", {
      review: shown,
      seven: after.join("\n~~~\n"),
      eight: (await outcomes(eight)).join("\n~~~\n"),
      log,
      chat: team.hear(),
    });
  });

  test("applies each of three quick merges exactly once, in any job order", async () => {
    const changed = ["returns", "delivery", "bicycles"] as const;
    const pulls: Pull[] = [];
    for (const desk of changed)
      pulls.push(await team.propose(`quick-${desk}`, createPromptFile(desk, `You help with ${desk} fast.`)));
    const sent = team.production.requests.filter(({ method }) => method === "PATCH").length;
    const startMs = Date.now();
    const commits: string[] = [];
    for (const pull of pulls) commits.push(await team.land(pull));
    expect(Date.now() - startMs).toBeLessThan(10_000);

    // All staging jobs run at once and take the lock in any order, followed by the production jobs in any order.
    const first = [await team.startJob(), await team.startJob(), await team.startJob()];
    const ofStaging = await Promise.all(first.map((run) => run()));
    expect(ofStaging, JSON.stringify(ofStaging)).toMatchObject(
      first.map(() => ({ job: "apply-first", ran: { exit: 0 } })),
    );
    const ofProduction: RunnerJob[] = [];
    for (const run of [await team.startJob(), await team.startJob(), await team.startJob()])
      ofProduction.push(await run());
    quote("d. jobs", { ofStaging, ofProduction, chat: team.hear() });
    expect(ofProduction).toMatchObject(first.map(() => ({ job: "apply-second", ran: { exit: 0 } })));
    // An earlier run applies its own change or leaves it to a later run. No change is sent twice.
    for (const { ran } of ofProduction)
      expect(ran?.stdout).toMatch(/Nothing to do in this run: .*\n$|^\s+[123] applied; \d unchanged\./m);
    expect(team.production.requests.filter(({ method }) => method === "PATCH").length - sent).toBe(3);
    for (const desk of changed) expect(team.live("production", desk)).toBe(`You help with ${desk} fast.`);
    for (const commit of commits) expect(await team.combined(commit)).toBe("success");
    for (const pull of pulls) {
      const comments = await outcomes(pull);
      quote(`d. #${pull.number}`, { outcomes: comments.join("\n~~~\n") });
      expect(comments.join("\n")).toMatch(/^### `avatarops\/production`: [123] applied/m);
      expect(comments.join("\n")).not.toContain("nothing was applied");
    }
  });

  test("sends a secret that was rotated between review and merge", async () => {
    const pull = await team.propose("rotated", createPromptFile("orders", "You help with orders and bills."));
    team.environment.LLM_API_KEY = "second-key";
    const commit = await team.land(pull);
    const log = await team.applies(0, 0);
    expect(await team.combined(commit)).toBe("success");
    for (const account of [team.staging, team.production])
      expect(account.world.secrets.map(({ id }) => account.secretValue(id))).toContain("second-key");
    expect(team.live("production", "orders")).toBe("You help with orders and bills.");
    quote("e. rotated", {
      review: await review(pull),
      outcomes: (await outcomes(pull)).join("\n~~~\n"),
      log,
      chat: team.hear(),
    });
  });

  test("shows the changed sentence of a partial used by six prompts", async () => {
    const pull = await team.propose("patient", createToneFile("Be kind and patient."));
    const shown = await review(pull);
    expect(shown.replaceAll(/<[^>]+>/g, "")).toContain("Be kind and patient.");
    const commit = await team.land(pull);
    const log = await team.applies(0, 0);
    expect(await team.combined(commit)).toBe("success");
    for (const { world } of [team.staging, team.production])
      expect(
        world.contexts.filter((context) => context.prompt.includes("Be kind and patient.")),
      ).toHaveLength(desks.length);
    quote("f. partial", {
      review: shown,
      outcomes: (await outcomes(pull)).join("\n~~~\n"),
      log,
      chat: team.hear(),
    });
  });

  test("shows a fork's plan without secrets, and applies none of its changes", async () => {
    const { ben, where, gitea } = team;
    await gitea.api(ben, "POST", `${where}/forks`, {});
    team.git("switch", "--quiet", "main");
    const before = `${team.git("show", "main:prompts/bicycles.md")}\n`;
    const fork = gitea.remoteOf(ben, `${ben.name}/${gitea.repo}`);
    team.push("outside", createPromptFile("bicycles", "You help with bicycles and scooters."), fork);
    const pull = await team.open(`${ben.name}:outside`, ben);
    const planned = await (await team.startJob())();
    expect(planned).toMatchObject({ job: "plan", ran: { exit: 0 } });
    // The job receives only its own token, under both names.
    expect(planned.secrets.toSorted()).toEqual(["GITEA_TOKEN", "GITHUB_TOKEN"]);
    const shown = planned.ran?.stdout ?? "";
    expect(shown).toContain("and scooters");
    expect(await gitea.api(ben, "GET", `${where}/issues/${pull.number}/comments`)).toEqual([]);
    expect(await team.statuses(pull.head.sha)).toEqual([]);

    await team.approve(team.owner, pull);
    await team.merge(pull);
    const log = await team.applies(7, 7);
    expect(flat(log)).toContain("comes from a fork");
    for (const account of ["staging", "production"] as const)
      expect(team.live(account, "bicycles")).not.toContain("scooters");
    quote("g. fork", {
      plan: shown,
      outcomes: (await outcomes(pull)).join("\n~~~\n"),
      log,
      chat: team.hear(),
    });
    const revert = team.push("main", { "prompts/bicycles.md": before });
    await team.applies(0, 0);
    expect(await team.combined(revert)).toBe("success");
  });

  test("collapses a failed run's outcome in the comment when the job is re-run", async () => {
    const pull = await team.propose("again", {
      ...createPromptFile("gifts", "You help with gifts and ribbons."),
      ...createPromptFile("repairs", "You help with repairs and tools."),
    });
    team.production.addFault("PATCH /v1/contexts/* 400");
    const commit = await team.land(pull);
    const failed = await team.applies(0, 3);
    expect(await team.combined(commit)).toBe("failure");
    expect((await outcomes(pull))[1]).toMatch(/^### `avatarops\/production`: 1 applied, 1 failed/);
    quote("h. first run", {
      outcomes: (await outcomes(pull)).join("\n~~~\n"),
      log: failed,
      chat: team.hear(),
    });
    await team.rerun(commit);
    const log = await team.applies(0, 0);
    expect(await team.combined(commit)).toBe("success");
    const after = await outcomes(pull);
    expect(after[0]).toMatch(/^### `avatarops\/staging`: 2 applied/);
    expect(after[1]).toMatch(
      /^### `avatarops\/production`: 1 applied[\s\S]*<summary>Earlier runs<\/summary>[\s\S]*1 applied, 1 failed/,
    );
    quote("h. second run", { outcomes: after.join("\n~~~\n"), log, chat: team.hear() });
  });
});
