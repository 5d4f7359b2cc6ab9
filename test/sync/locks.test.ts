import { describe, expect, test } from "vitest";
import { nodeSystem } from "../../src/base/system/index.js";
import {
  type LockOptions,
  openStore,
  type StateWriter,
  type StoreEnvironment,
} from "../../src/core/state/index.js";
import { createIntent, service } from "../state/building.js";
import { gitlabPath } from "../stores/http-backend.js";
import { startShared } from "./on-store.js";
import { listPrompts, readOutcomes, startTeam, type Team } from "./team.js";

const state = "git+refs://origin/avatarops/production";
const minute = 60_000;
const elsewhere = { pid: 7, host: "first" };
/** Identity of an earlier run of this replica. The replicas in these tests have no boot id and no PID namespace. */
const before = { pid: 7, host: "test-host", bootId: "before", pidNamespace: "before" };
/** Identity of a running process on this machine. */
const here = { pid: process.pid, host: "test-host" };

/** Creates a branch with an unapplied commit and another run's lock. */
async function startLocked(
  holder: Pick<StoreEnvironment, "pid" | "host" | "bootId" | "pidNamespace">,
  options: Partial<LockOptions> = {},
) {
  const { team, push, repo } = await startShared({ state });
  await push("Be kind.");
  expect(await team.atDesk("apply", "-y")).toMatchObject({ exit: 0 });
  await push("Be brief.");
  return { team, hold: await lock(team, state, holder, options), repo };
}

function lock(
  { repository, environment }: Team,
  location: string,
  holder: Pick<StoreEnvironment, "pid" | "host">,
  options: Partial<LockOptions>,
): Promise<StateWriter> {
  const store = openStore(location, {
    allowCode: true,
    ...holder,
    root: repository,
    environment,
    system: nodeSystem,
  });
  return store.lock({ command: "avatarops sync", timeoutMs: 0, requestTimeoutMs: 30_000, ...options });
}

/** Follows the branch until a commit is applied, for at most an hour. Returns the last outcome and the elapsed time. */
async function follow(
  team: Team,
  { onPause = () => {} }: { readonly onPause?: () => Promise<void> | void },
  ...argv: string[]
) {
  const began = Date.now();
  let now = began;
  const follower = team.follow(
    {
      now: () => now,
      async pause(ms) {
        if (now - began >= 60 * minute || readOutcomes(follower).includes("applied")) return follower.stop();
        now += ms;
        await onPause();
      },
    },
    ...["--interval", "10m", ...argv],
  );
  await follower.ended;
  return { ended: readOutcomes(follower).at(-1), tookMs: now - began, text: follower.text() };
}

describe("another machine's sync lock", { tags: "ci" }, () => {
  test("is taken over, including unfinished writes, if it stays unchanged for --take-over-after", async () => {
    const { team, hold, repo } = await startLocked(elsewhere);
    await hold.begin(team.emulator.url);
    const [{ id = "" } = {}] = team.emulator.world.contexts;
    await hold.recordIntent(createIntent("context.desk", { action: "update", label: "Desk", id }));
    const { ended, tookMs, text } = await follow(team, {}, ...repo, "--take-over-after", "15m");
    expect([ended, tookMs], text).toEqual(["applied", 15 * minute]);
    expect(text).toContain("Took over the lock from `avatarops sync` (process 7 on first, since");
    expect(listPrompts(team)).toEqual(["Be brief."]);
    expect(team.emulator.requests.filter(({ method }) => method === "PATCH")).toHaveLength(1);
    await expect(hold.recordIntent(createIntent("context.desk"))).rejects.toMatchObject({
      code: expect.stringMatching(/^(lock-lost|conflict)$/),
    });
    expect(await team.atDesk("plan", "--detailed-exitcode")).toMatchObject({ exit: 0 });
  });

  test("restarts the takeover delay after each write", async () => {
    const { team, hold, repo } = await startLocked(elsewhere);
    await hold.begin(team.emulator.url);
    let pauses = 0;
    const onPause = async () => {
      pauses += 1;
      if (pauses === 1) await hold.setFingerprintKey("key");
    };
    const { ended, tookMs } = await follow(team, { onPause }, ...repo);
    expect([ended, tookMs]).toEqual(["applied", 25 * minute]);
  });

  test.each([
    ["after the request timeout and 5 s, by a replica with the same name", 30_000, 35_000],
    ["after its own request timeout and 5 s, by a replica with the same name", 90_000, 95_000],
    ["after --take-over-after at the latest, by a replica with the same name", 3_600_000, 15 * minute],
  ])("is taken over %s", async (_, requestTimeoutMs, afterMs) => {
    const { team, repo } = await startLocked(before, { requestTimeoutMs });
    const { ended, tookMs, text } = await follow(team, {}, ...repo);
    expect([ended, tookMs], text).toEqual(["applied", afterMs]);
  });

  test("is not taken over with --take-over-after 0s, even by a replica with the same name", async () => {
    const { team, repo } = await startLocked(before);
    const { ended, text } = await follow(team, {}, ...repo, "--take-over-after", "0s");
    expect(ended, text).toBe("locked");
  });

  test("is not taken over in an HTTP store, even by a replica with the same name", async () => {
    const team = await startTeam("contexts:\n  desk: { name: Desk, prompt: Be kind. }\n");
    const location = `http://127.0.0.1:${team.backend.port}${gitlabPath}/production`;
    const hold = await lock(team, location, before, {});
    await hold.begin(service);
    const { ended, text } = await follow(team, {});
    expect(ended, text).toBe("locked");
    expect(listPrompts(team)).toEqual([]);
  });
});

test("reads the account once for each run that owns the lock, not in each sync cycle that waits", {
  tags: "ci",
}, async () => {
  const { team, hold, repo } = await startLocked(elsewhere, { command: "avatarops apply" });
  const counts: number[] = [];
  let other: StateWriter | undefined;
  const onPause = async () => {
    counts.push(team.emulator.requests.length);
    if (counts.length === 3) {
      await hold.release();
      other = await lock(team, state, { pid: 8, host: "second" }, { command: "avatarops apply" });
    }
    if (counts.length === 5) await other?.release();
  };
  team.emulator.requests.length = 0;
  const { ended, text } = await follow(team, { onPause }, ...repo);
  expect(ended, text).toBe("applied");
  const read = counts[0] ?? 0;
  expect(read).toBeGreaterThan(0);
  // The fourth cycle finds another run's lock, and the sixth one finds none.
  expect(counts.slice(0, 5)).toEqual([read, read, read, 2 * read, 2 * read]);
  expect(listPrompts(team)).toEqual(["Be brief."]);
});

test.each([
  ["a person elsewhere", elsewhere, "avatarops apply"],
  ["a person on a machine with this replica's name", before, "avatarops apply"],
  ["a `sync` that runs on this machine", here, "avatarops sync"],
])("never lets sync take over the lock of %s", async (_, holder, command) => {
  const { team, hold, repo } = await startLocked(holder, { command });
  const { ended, text } = await follow(team, {}, ...repo, "--take-over-after", "1m");
  expect(ended, text).toBe("locked");
  expect(listPrompts(team)).toEqual(["Be kind."]);
  await hold.release();
  expect(await follow(team, {}, ...repo)).toMatchObject({ ended: "applied" });
});
