import { rmSync, writeFileSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { encodeState } from "../../src/core/state/encoding.js";
import { openStore, writeAtomically } from "../../src/core/state/index.js";
import {
  commitTo,
  createEntry,
  createIntent,
  createMachine,
  createState,
  makeFolder,
  patience,
  service,
} from "./building.js";
import { watchCalls } from "./system-calls.js";

async function open() {
  const file = join(await makeFolder(), ".avatarops/state.json");
  const store = openStore(file, createMachine(1));
  return { file, store };
}

test("writes a diff-friendly state file, with sorted addresses and one value per line", async () => {
  const { file, store } = await open();
  await commitTo(store, (session) => {
    session.completeIntent("context.b", { superseded: [], applied: { name: "B" }, id: "b1" });
    session.completeIntent("context.a", { inSyncAt: "2026-01-01T00:00:00Z", applied: {}, id: "a1" });
  });
  expect(await readFile(file, "utf8")).toBe(`{
  "version": 1,
  "lineage": "id-1-2",
  "serial": 1,
  "service": "https://api.example.com",
  "objects": {
    "context.a": {
      "id": "a1",
      "applied": {}
    },
    "context.b": {
      "id": "b1",
      "applied": {
        "name": "B"
      },
      "superseded": []
    }
  },
  "pending": {},
  "journal": "id-1-3"
}
`);
});

test("creates private state files and keeps the permissions of existing ones", async () => {
  const { file, store } = await open();
  const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
  const commit = (id: string) =>
    commitTo(store, (session) => session.completeIntent("context.a", createEntry(id)));
  await commit("a1");
  expect([await modeOf(join(file, "..")), await modeOf(file)]).toEqual(["700", "600"]);
  await chmod(file, 0o644);
  await commit("a2");
  expect(await modeOf(file)).toBe("644");
});

test("writes nothing and keeps the serial if a commit has no changes", async () => {
  const { file, store } = await open();
  const session = await store.lock(patience);
  await session.begin(service);
  expect((await session.commit()).serial).toBe(0);
  session.completeIntent("context.a", createEntry("a1"));
  expect((await session.commit()).serial).toBe(1);
  const text = await readFile(file, "utf8");
  await session.recordIntent(createIntent("context.b"));
  session.discardIntent("context.b");
  session.completeIntent("context.a", createEntry("a1"));
  expect((await session.commit()).serial).toBe(1);
  expect(await readFile(file, "utf8")).toBe(text);
  await session.release();
  expect(await readdir(join(file, ".."))).toEqual(["state.json", "state.json.history"]);
});

test("reads a consistent state even if another run commits between the journal read and the state read", async () => {
  const { file, store } = await open();
  const session = await store.lock(patience);
  await session.begin(service);
  session.completeIntent("context.a", createEntry("a1"));
  let reads = 0;
  const { result } = await watchCalls(
    () => openStore(file, createMachine(2)).read(),
    ({ name }) => {
      if (name === "open" && ++reads === 2) {
        writeFileSync(file, encodeState(createState({ serial: 7 }), "a later journal"));
        rmSync(`${file}.journal`);
      }
      return "happens";
    },
  );
  expect(result).toMatchObject({
    status: "fulfilled",
    value: { state: createState({ serial: 7 }), interrupted: false },
  });
  await session.release();
});

test("writes no journal for objects that were only read, and records them at the next commit", async () => {
  const { file, store } = await open();
  const session = await store.lock(patience);
  await session.begin(service);
  session.recordEntry("context.a", createEntry("a1"));
  expect(await readdir(join(file, ".."))).toEqual(["state.json.lock"]);
  expect(await session.commit()).toMatchObject({ serial: 1, objects: { "context.a": createEntry("a1") } });
  await session.release();
});

test("replaces the whole state atomically, and keeps the previous state if that fails", async () => {
  const { store } = await open();
  const session = await store.lock(patience);
  await session.begin(service);
  session.completeIntent("context.a", createEntry("a1"));
  const moved = { objects: { "context.b": createEntry("a1") }, pending: {} };
  expect(await session.replace(moved)).toMatchObject({ serial: 1, ...moved });
  const { result } = await watchCalls(
    () => session.replace({ objects: {}, pending: {} }),
    ({ name }) => (name === "rename" ? { refuse: "EACCES" } : "happens"),
  );
  expect(result).toMatchObject({ status: "rejected", reason: { code: "no-permission" } });
  expect(session.state).toMatchObject(moved);
  await session.release();
  expect((await store.read())?.state).toMatchObject({ serial: 1, ...moved });
});

test("rejects another service's state, but ignores a trailing slash in the URL", async () => {
  const { store } = await open();
  const session = await store.lock(patience);
  await session.begin(service);
  await session.begin(`${service}/`);
  await expect(session.begin("https://other.example.com")).rejects.toMatchObject({ code: "other-service" });
  await session.release();
});

test("rejects an intent after the lock was removed, so nothing is sent", async () => {
  const { store } = await open();
  const session = await store.lock(patience);
  await session.begin(service);
  await session.recordIntent(createIntent("context.a"));
  await store.unlock({ force: true });
  session.completeIntent("context.a", createEntry("a1"));
  await expect(session.flush()).rejects.toMatchObject({ code: "lock-lost" });
  await expect(session.recordIntent(createIntent("context.b"))).rejects.toMatchObject({ code: "lock-lost" });
  await session.release();
  // The completed step is in the journal anyway. The rejected intent is not.
  expect((await store.read())?.state).toMatchObject({
    objects: { "context.a": createEntry("a1") },
    pending: {},
  });
});

test("syncs new folders to disk before recording anything in them", async () => {
  const file = join(await makeFolder(), "new/newer/state.json");
  const { calls } = await watchCalls(
    async () => (await openStore(file, createMachine(1)).lock(patience)).release(),
    () => "happens",
  );
  expect(calls.filter(({ name }) => name === "sync")).toHaveLength(2);
});

test("writes the state to the target of a symlink and keeps the link", async () => {
  const folder = await makeFolder();
  await mkdir(join(folder, "real"));
  const link = join(folder, "state.json");
  await symlink("real/state.json", link);
  const store = openStore(link, createMachine(1));
  await commitTo(store, (session) => session.completeIntent("context.a", createEntry("a1")));
  expect([await readdir(folder), await readdir(join(folder, "real"))]).toEqual([
    ["real", "state.json"],
    ["state.json", "state.json.history"],
  ]);
  expect((await store.read())?.state?.serial).toBe(1);
});

test("syncs the journal and state to disk fewer than ten times in total for a thousand objects", async () => {
  const { store } = await open();
  const session = await store.lock(patience);
  await session.begin(service);
  const addresses = Array.from({ length: 1_000 }, (_, at) => `context.c${at}`);
  const { calls } = await watchCalls(
    async () => {
      await Promise.all(addresses.map((address) => session.recordIntent(createIntent(address))));
      for (const address of addresses) session.completeIntent(address, createEntry(address));
      await session.commit();
    },
    () => "happens",
  );
  expect(calls.filter(({ name }) => name.endsWith("sync")).length).toBeLessThan(10);
  expect(Object.keys(session.state?.objects ?? {})).toHaveLength(1_000);
  await session.release();
});

test("writes the state to a device file without replacing it, and reports a full device", async () => {
  await writeAtomically("/dev/null", "text");
  expect((await stat("/dev/null")).isCharacterDevice()).toBe(true);
  await expect(writeAtomically("/dev/full", "text")).rejects.toMatchObject({
    code: "disk-full",
    file: "/dev/full",
  });
});
