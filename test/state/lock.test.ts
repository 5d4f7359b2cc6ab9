import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { link, readdir, readFile, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import {
  type Holder,
  LockedError,
  openStore,
  type Store,
  type StoreEnvironment,
} from "../../src/core/state/index.js";
import { commitTo, createIntent, createMachine, makeFolder, patience, service } from "./building.js";
import { watchCalls } from "./system-calls.js";

const other: Holder = {
  id: "other",
  pid: 7,
  host: "desk",
  startedAt: "start of 7",
  since: "2026-01-02T03:04:05.000Z",
  command: "avatarops apply",
};

async function writeLockFile(holder: Partial<Holder>): Promise<string> {
  const file = join(await makeFolder(), "state.json");
  await writeFile(`${file}.lock`, JSON.stringify({ ...other, ...holder }));
  return file;
}

describe("state lock", () => {
  const initial = "4026531836";
  const here = { bootId: "boot", pidNamespace: initial, machineId: "machine" };
  const inContainer = { ...here, pidNamespace: "4026532177" };
  const cases: [string, Partial<Holder>, Partial<StoreEnvironment>, "taken over" | "alive" | "elsewhere"][] =
    [
      ["runs here", here, here, "alive"],
      ["runs here under another host name", { ...here, host: "container" }, here, "alive"],
      ["runs in the same container", inContainer, inContainer, "alive"],
      ["ended here", here, { ...here, isAlive: () => false }, "taken over"],
      [
        "ended here, and its process id is used again",
        here,
        { ...here, readStart: () => "later" },
        "taken over",
      ],
      ["has a start time that cannot be read now", here, { ...here, readStart: () => undefined }, "alive"],
      ["ended in another container", inContainer, { ...here, isAlive: () => false }, "elsewhere"],
      [
        "ended in a container of a machine that has restarted",
        { ...inContainer, bootId: "old" },
        here,
        "elsewhere",
      ],
      ["ended on this machine before it restarted", { ...here, bootId: "old" }, here, "taken over"],
      [
        "ended on this machine under its former name before it restarted",
        { ...here, bootId: "old", host: "laptop" },
        here,
        "elsewhere",
      ],
      [
        "runs on another machine of this name",
        { ...here, bootId: "other", machineId: "other" },
        { ...here, isAlive: () => false },
        "elsewhere",
      ],
      [
        "took the lock on a clone of this machine after this machine started",
        { ...here, bootId: "other" },
        { ...here, bootedAtMs: Date.parse(other.since) - 1_000 },
        "elsewhere",
      ],
      [
        "runs on a machine of this name without a machine id",
        { bootId: "other", pidNamespace: initial },
        { bootId: "boot", pidNamespace: initial },
        "elsewhere",
      ],
      ["has a boot id that cannot be read", { ...here, bootId: "" }, { ...here, bootId: "" }, "elsewhere"],
      ["runs on this system without boot ids", {}, {}, "alive"],
      ["ended on this system without boot ids", {}, { isAlive: () => false }, "taken over"],
      [
        "had our process id on this system without boot ids",
        { pid: 1, startedAt: "earlier" },
        {},
        "taken over",
      ],
      ["ended on a system with boot ids", { bootId: "boot" }, { isAlive: () => false }, "elsewhere"],
      ["ended on a system without boot ids", {}, { ...here, isAlive: () => false }, "elsewhere"],
      ["ended on another system without boot ids", { host: "laptop" }, { isAlive: () => false }, "elsewhere"],
    ];
  test.each(cases)("decides whether to take over a lock whose holder %s", async (_, holder, world, what) => {
    const file = await writeLockFile(holder);
    const attempt = openStore(file, { ...createMachine(1, [1, 7]), ...world }).lock(patience);
    if (what === "taken over") {
      await (await attempt).release();
      expect(await readdir(join(file, ".."))).toEqual([]);
    } else {
      const advice =
        what === "alive" ? "Wait until it ends" : "remove the lock with `avatarops state unlock`";
      await expect(attempt).rejects.toThrow(advice);
      await expect(attempt).rejects.toMatchObject({ code: "locked", holder: { ...other, ...holder } });
    }
  });
});

test.runIf(process.platform === "linux")(
  "takes over a killed process's lock before the parent reaps the process",
  async () => {
    const parent = spawn("sh", ["-c", "sleep 600 & echo $!; exec tail -f /dev/null"], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    try {
      const [bytes] = (await once(parent.stdout, "data")) as [Buffer];
      const pid = Number(String(bytes));
      // Waits until `exec` has replaced the shell with `tail`. The shell would reap its killed child, but `tail` does
      // not.
      await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, "latin1")).toBe("tail\n");
      process.kill(pid);
      await expect.poll(() => readFileSync(`/proc/${pid}/stat`, "latin1")).toContain(") Z ");
      const { isAlive: _, readStart: __, ...environment } = createMachine();
      const file = await writeLockFile({ pid, startedAt: "" });
      await (await openStore(file, environment).lock(patience)).release();
      const own = await writeLockFile({ pid: parent.pid ?? 0, startedAt: "" });
      await expect(openStore(own, environment).lock(patience)).rejects.toMatchObject({ code: "locked" });
    } finally {
      parent.kill();
    }
  },
);

test.each([
  ["here", {}, "`avatarops apply` (process 7 on desk", "Wait until it ends, then run the command again."],
  [
    "elsewhere",
    { host: "laptop", command: "a\u001b[31mb" },
    "`a [31mb` (process 7 on laptop",
    "avatarops cannot check that run from here. If it has ended, remove the lock with `avatarops state unlock`.",
  ],
])(
  "shows the lock holder, the time of the lock and the next step if the holder runs %s",
  async (_, holder, who, advice) => {
    const file = await writeLockFile(holder);
    await expect(openStore(file, createMachine(1, [7])).lock(patience)).rejects.toThrow(
      `The state is locked by ${who}, since 2026-01-02T03:04:05.000Z): ${file}.lock. ${advice}`,
    );
  },
);

describe("unreadable lock file", () => {
  const texts = ["", "{", "{}", '{"id":"../x","pid":1}'];

  async function writeUnreadableLock(text: string): Promise<{ file: string; at(ms: number): Store }> {
    const file = join(await makeFolder(), "state.json");
    await writeFile(`${file}.lock`, text);
    const made = new Date(1_000_000);
    await utimes(`${file}.lock`, made, made);
    const at = (ms: number) =>
      openStore(
        file,
        createMachine(1, [1], () => made.getTime() + ms),
      );
    return { file, at };
  }

  test.each(texts)("counts as owned at any age and after any clock change: %j", async (text) => {
    const { file, at } = await writeUnreadableLock(text);
    await expect(at(1_999).lock(patience)).rejects.toThrow(
      `A run may be taking or releasing ${file}.lock right now. Run the command again in a few seconds.`,
    );
    for (const ms of [2_000, 86_400_000, -86_400_000]) {
      const attempt = at(ms).lock(patience);
      await expect(attempt).rejects.toMatchObject({ code: "locked", holder: undefined });
      await expect(attempt).rejects.toThrow(
        `${file}.lock is unreadable, because another version of avatarops wrote it or it is damaged. Make sure that no run uses it, then remove it with \`avatarops state unlock\`.`,
      );
    }
    expect(await readFile(`${file}.lock`, "utf8")).toBe(text);
    expect(await readdir(join(file, ".."))).toEqual(["state.json.lock"]);
  });

  test("is removed only if the user confirms the removal after seeing its content", async () => {
    const { file, at } = await writeUnreadableLock("theirs");
    const asked: string[][] = [];
    const unlock = (answer: boolean) =>
      at(2_000).unlock({
        force: true,
        confirm: async (...given) => {
          asked.push(given);
          return answer;
        },
      });
    await at(2_000).unlock({ force: true });
    await unlock(false);
    expect(await readFile(`${file}.lock`, "utf8")).toBe("theirs");
    expect(await unlock(true)).toBeUndefined();
    expect(asked).toEqual([1, 2].map(() => [`${file}.lock`, "theirs"]));
    await (await at(2_000).lock(patience)).release();
  });

  test("is shown before removal even if it was just written", async () => {
    const file = join(await makeFolder(), "state.json");
    await writeFile(`${file}.lock`, "theirs");
    const texts: string[] = [];
    const confirm = async (_: string, text: string) => texts.push(text) === 2;
    const unlock = (force: boolean) =>
      openStore(file, createMachine(1, [1], Date.now)).unlock({ force, confirm });
    await unlock(true);
    expect(await readFile(`${file}.lock`, "utf8")).toBe("theirs");
    await writeFile(`${file}.lock`, "theirs");
    await unlock(false);
    expect(texts).toEqual(["theirs", "theirs"]);
    await expect(readFile(`${file}.lock`)).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("stays if its owner writes to it during the confirmation", async () => {
    const { file, at } = await writeUnreadableLock("theirs");
    const confirm = async () => {
      await writeFile(`${file}.lock`, "theirs, and more");
      return true;
    };
    await expect(at(2_000).unlock({ confirm })).rejects.toMatchObject({ code: "locked" });
    expect(await readFile(`${file}.lock`, "utf8")).toBe("theirs, and more");
  });

  test("is not removed if its owner completes it during the confirmation", async () => {
    const { file, at } = await writeUnreadableLock("");
    const unlocking = at(2_000).unlock({ confirm: async () => true });
    await sleep(100);
    await writeFile(`${file}.lock`, JSON.stringify({ ...other, pid: 1, startedAt: "start of 1" }));
    await unlocking;
    expect(JSON.parse(await readFile(`${file}.lock`, "utf8"))).toMatchObject({ id: other.id });
  });
});

test("takes a lock despite an unreadable takeover file once the file is old", async () => {
  const file = await writeLockFile({});
  const store = openStore(file, createMachine(1, [1], Date.now));
  await writeFile(`${file}.lock.other`, "");
  await expect(store.lock(patience)).rejects.toMatchObject({ code: "locked" });
  await utimes(`${file}.lock.other`, 1_000, 1_000);
  await (await store.lock(patience)).release();
  expect(await readdir(join(file, ".."))).toEqual([]);
});

test("keeps the work of both runs if the lock is removed during a commit", async () => {
  const file = join(await makeFolder(), "state.json");
  const entry = (id: string) => ({ id, applied: {} });
  const session = await openStore(file, createMachine(1, [1, 2])).lock(patience);
  await session.begin("https://api.example.com");
  session.completeIntent("context.a", entry("a1"));

  async function takeOver(): Promise<void> {
    const store = openStore(file, createMachine(2, [1, 2]));
    await store.unlock({ force: true });
    await commitTo(store, (next) => next.completeIntent("context.b", entry("b1")));
  }

  let other: Promise<void> | undefined;
  await watchCalls(
    async () => {
      await session.commit();
      // Waits for the other run, because `watchCalls` closes all open files when it returns.
      await other;
    },
    async ({ name }): Promise<"happens"> => {
      // The run has checked the lock and is about to write the record and the state.
      if (name === "appendFile" && !other) {
        other = takeOver();
        await Promise.race([other, sleep(300)]);
      }
      return "happens";
    },
  );
  await session.release();
  const { state } = (await openStore(file, createMachine(3)).read()) ?? {};
  expect(state?.objects).toEqual({ "context.a": entry("a1"), "context.b": entry("b1") });
  expect((await readdir(join(file, ".."))).sort()).toEqual(["state.json", "state.json.history"]);
});

test("rejects an intent if the lock file is removed while the intent is being written", async () => {
  const file = join(await makeFolder(), "state.json");
  const session = await openStore(file, createMachine(1)).lock(patience);
  await session.begin(service);
  await session.recordIntent(createIntent("context.a"));
  const { result } = await watchCalls(
    () => session.recordIntent(createIntent("context.b")),
    ({ name }) => {
      if (name === "datasync") rmSync(`${file}.lock`);
      return "happens";
    },
  );
  expect(result).toMatchObject({ status: "rejected", reason: { code: "lock-lost" } });
  await session.release();
});

test("removes the lock that a dead run on another machine was taking over", async () => {
  const file = await writeLockFile({ host: "laptop" });
  await link(`${file}.lock`, `${file}.lock.other`);
  expect(await openStore(file, createMachine(1)).unlock({ force: true })).toMatchObject({ host: "laptop" });
  await (await openStore(file, createMachine(1)).lock(patience)).release();
});

test("takes over a lock whose takeover by a dead run on this machine did not finish", async () => {
  const file = await writeLockFile({});
  await link(`${file}.lock`, `${file}.lock.other`);
  await (await openStore(file, createMachine(1)).lock(patience)).release();
  expect(await readdir(join(file, ".."))).toEqual([]);
});

test("continues an interrupted lock takeover", async () => {
  const file = await writeLockFile({ id: "first" });
  await writeFile(`${file}.lock.first`, JSON.stringify({ ...other, id: "second", pid: 8 }));
  const session = await openStore(file, createMachine(1)).lock(patience);
  await session.release();
  expect(await readdir(join(file, ".."))).toEqual([]);
});

test("lets exactly one of many runs take over a dead run's lock", async () => {
  const file = await writeLockFile({});
  const takers = Array.from({ length: 30 }, (_, at) => at + 100);
  const attempts = takers.map((pid) => openStore(file, createMachine(pid, takers)).lock(patience));
  const ends = await Promise.allSettled(attempts);
  expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  for (const end of ends) if (end.status === "rejected") expect(end.reason).toBeInstanceOf(LockedError);
});

test("keeps a faster run's lock during a slower takeover", async () => {
  const file = await writeLockFile({});
  const faster = { ...other, id: "faster", pid: 8, startedAt: "start of 8" };
  const { result } = await watchCalls(
    () => openStore(file, createMachine(1, [1, 8])).lock(patience),
    ({ name }) => {
      // The run has seen the dead owner and is about to claim the takeover.
      if (name === "link") writeFileSync(`${file}.lock`, JSON.stringify(faster));
      return "happens";
    },
  );
  expect(result).toMatchObject({ status: "rejected", reason: { code: "locked", holder: faster } });
  expect(JSON.parse(await readFile(`${file}.lock`, "utf8"))).toEqual(faster);
  expect(await readdir(join(file, ".."))).toEqual(["state.json.lock"]);
});

test("reports the lock holder once during the wait, then continues after the release", async () => {
  const file = join(await makeFolder(), "state.json");
  const first = await openStore(file, createMachine(1, [1, 2])).lock({ ...patience, command: "the first" });
  const waitedFor: string[] = [];
  const second = openStore(file, createMachine(2, [1, 2])).lock({
    command: "the second",
    timeoutMs: 20_000,
    onWait: (holder) => {
      waitedFor.push(holder?.command ?? "");
      setTimeout(() => void first.release(), 100);
    },
  });
  await (await second).release();
  expect(waitedFor).toEqual(["the first"]);
});

test("stops waiting for a lock when cancelled and does not take it afterward", async () => {
  const file = await writeLockFile({});
  const store = openStore(file, createMachine(1, [7]));
  const stop = new AbortController();
  const waiting = store.lock({
    command: "x",
    timeoutMs: 60_000,
    signal: stop.signal,
    onWait: () => stop.abort(),
  });
  await expect(waiting).rejects.toMatchObject({ code: "cancelled" });
  await expect(store.lock({ ...patience, signal: stop.signal })).rejects.toMatchObject({ code: "cancelled" });
  expect(JSON.parse(await readFile(`${file}.lock`, "utf8"))).toEqual(other);
});

test("does not release another run's lock", async () => {
  const file = join(await makeFolder(), "state.json");
  const session = await openStore(file, createMachine(1)).lock(patience);
  await writeFile(`${file}.lock`, JSON.stringify(other));
  await session.release();
  expect(JSON.parse(await readFile(`${file}.lock`, "utf8"))).toEqual(other);
});

test("uses one lock for two symlinks to the same state", async () => {
  const folder = await makeFolder();
  for (const name of ["a.json", "b.json"]) await symlink(join(folder, "real/state.json"), join(folder, name));
  const session = await openStore(join(folder, "a.json"), createMachine(1, [1, 2])).lock(patience);
  await expect(openStore(join(folder, "b.json"), createMachine(2, [1, 2])).lock(patience)).rejects.toThrow(
    LockedError,
  );
  await session.release();
});
