/** Tests that a missing review or approval is reported in at most three sentences, with one command. */
import { expect, test } from "vitest";
import { noKeyPrefix } from "../../src/review/hosts/index.js";
import type { CommandResult } from "../cli/hosting.js";
import { ada, type Change, createDeskFiles, merge, startChange } from "./change.js";
import type { StandInName } from "./stand-in.js";

interface Refusal {
  readonly host?: StandInName;
  readonly settings?: string;
  readonly prepare?: (change: Change) => unknown;
  readonly job?: (change: Change) => Promise<CommandResult>;
  readonly says: string;
  readonly command: RegExp;
}

const requireApprovals = (count: number) => `reviews: { require_approval: ${count} }\n`;
const applyByDigest = ({ project, options, sha, world }: Change, user?: string) =>
  project.avataropsWith(
    {
      environment: {
        ...{ GITHUB_ACTIONS: "true", GITHUB_SERVER_URL: options.webUrl, GITHUB_API_URL: options.apiUrl },
        ...{ GITHUB_REPOSITORY: options.repository, GITHUB_TOKEN: options.token.reveal(), GITHUB_SHA: sha },
        ...(user === undefined ? {} : { GITHUB_ACTOR: user }),
      },
    },
    ...["apply", "--digest", /--digest (\S+)/.exec(world.comments[0]?.body ?? "")?.[1] ?? ""],
  );
const digest = /^apply --digest 1:[\w-]{22}$/;

const refusals: Readonly<Record<string, Refusal>> = {
  "without approvals on a host that accepts no approvals after a merge": {
    host: "gitea",
    settings: requireApprovals(1),
    says: "This host does not accept approvals after a merge",
    command: digest,
  },
  "by a bot with an ignored approval": {
    settings: requireApprovals(1),
    prepare: ({ world, sha }) => {
      Object.assign(world.pulls[0] ?? {}, { author: { id: 90, login: "agent[bot]" } });
      world.reviews.push({ by: ada, commit: sha, at: "2026-02-01T00:00:00Z" });
    },
    says: "`reviews.require_approval` is 1, and one more is needed because a bot opened the pull request",
    command: digest,
  },
  "from a fork": {
    prepare: ({ world }) => {
      world.statuses.splice(0);
      world.comments.splice(0);
      Object.assign(world.pulls[0] ?? {}, { fromFork: true });
    },
    says: "pull request #7 comes from a fork, so its review was not compared with the account",
    command: digest,
  },
  "reviewed without a key": {
    prepare: ({ world }) => {
      world.comments.splice(0);
      Object.assign(world.statuses[0] ?? {}, { description: `${noKeyPrefix}1 to create` });
    },
    says: "Set AVATAROPS_API_KEY in the plan job.",
    command: digest,
  },
  "applied by digest if starting the job counts as one of two approvals": {
    settings: requireApprovals(2),
    job: (change) => applyByDigest(change, "ada"),
    says: "the person who started this job counts as only one of 2 required approvals",
    command: /^apply --reviewed$/,
  },
  "applied by digest in a job with an unknown starter": {
    settings: requireApprovals(1),
    job: (change) => applyByDigest(change),
    says: "CI does not show who started it",
    command: /^apply --reviewed$/,
  },
};

test.each(Object.entries(refusals))(
  "rejects a change %s with an error of at most three sentences",
  async (_, refusal) => {
    const { host = "github", settings = "", prepare, says, command } = refusal;
    const change = await startChange(host, createDeskFiles("Be kind.", settings));
    change.world.writers.push(ada);
    await change.review();
    merge(change);
    await prepare?.(change);
    const { exit, stderr } = await (refusal.job?.(change) ?? change.apply());
    const [, message = ""] =
      /error\[not-(?:approved|reviewed)\] (.*)/.exec(stderr.replaceAll(/[│\s]+/g, " ").trim()) ?? [];
    expect(exit).toBe(7);
    expect(message).toContain(says);
    expect(message).toMatch(/^Nothing was applied: /);
    expect(message.match(/\.(?= |$)/g)?.length, message).toBeLessThanOrEqual(3);
    const commands = [...message.matchAll(/`avatarops ([^`]+)`/g)].map(([, found]) => found);
    expect(commands).toEqual([expect.stringMatching(command)]);
  },
);
