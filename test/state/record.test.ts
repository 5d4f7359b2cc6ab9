import { appendFile, readFile, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { decodeRecord, openStore, type Store, summarizeRecord } from "../../src/core/state/index.js";
import { readLinesFromEnd } from "../../src/core/state/stores/lines.js";
import {
  commitTo,
  createEntry,
  createIntent,
  createMachine,
  makeFolder,
  patience,
  service,
} from "./building.js";

async function listRecords(store: Store) {
  const records = [];
  for await (const text of store.readHistory()) records.push(decodeRecord(text));
  return records;
}

async function start(): Promise<{ file: string; store: Store }> {
  const file = `${await makeFolder()}/state.json`;
  return { file, store: openStore(file, createMachine(1)) };
}

test("stores a history record for each commit that changes the state", async () => {
  const { store } = await start();
  const session = await store.lock({
    ...patience,
    collectFacts: async () => ({ command: "avatarops apply", by: { user: "mia", host: "desk" } }),
  });
  await session.begin(service);
  session.describe({ plan: "digest" });
  await session.recordIntent(createIntent("context.a"));
  session.completeIntent("context.a", createEntry("a1", { inSyncAt: "2026-01-01T00:00:00.000Z" }));
  await session.commit();
  await session.commit();
  session.completeIntent("context.a", createEntry("a2"));
  session.completeIntent("context.b", createEntry("b1"));
  session.describe({ moved: { from: "context.x", to: "context.b" } });
  await session.commit();
  session.completeIntent("context.a", undefined);
  await session.commit();
  const lineage = session.state?.lineage;
  await session.release();
  const common = {
    ...{ record: 1, lineage, at: "2023-11-14T22:13:20.000Z", command: "avatarops apply" },
    by: { user: "mia", host: "desk" },
  };
  expect(await listRecords(store)).toEqual([
    { ...common, serial: 3, objects: { "context.a": { before: createEntry("a2") } } },
    {
      ...{ ...common, serial: 2, moved: { from: "context.x", to: "context.b" } },
      objects: {
        "context.a": { before: createEntry("a1"), after: createEntry("a2") },
        "context.b": { after: createEntry("b1") },
      },
    },
    { ...common, serial: 1, plan: "digest", objects: { "context.a": { after: createEntry("a1") } } },
  ]);
});

test("stores the text of each digest in a history record only once", async () => {
  const { store } = await start();
  const session = await store.lock(patience);
  await session.begin(service);
  const entry = (prompt: string, links: string) =>
    createEntry("a1", {
      applied: { prompt: { digest: prompt, length: 300 }, links: { digest: links, length: 250 } },
    });
  const links = [{ url: "https://example.com" }];
  for (const [digest, text] of [
    ["1:a", "First"],
    ["1:l", links],
    ["1:x", "Of no object"],
  ] as const)
    session.keepText(digest, text);
  session.completeIntent("context.a", entry("1:a", "1:l"));
  session.completeIntent("context.b", entry("1:a", "1:l"));
  await session.commit();
  session.keepText("1:e", "Edited elsewhere");
  session.completeIntent("context.a", entry("1:b", "1:l"));
  session.describe({
    results: [
      {
        ...{ address: "context.a", action: "update", status: "applied" },
        overwritten: { prompt: { digest: "1:e", length: 300 } },
      },
    ],
  });
  await session.commit();
  session.completeIntent("context.b", undefined);
  await session.commit();
  await session.release();
  expect((await listRecords(store)).map((record) => "texts" in record && record.texts)).toEqual([
    false,
    { "1:e": "Edited elsewhere" },
    { "1:a": "First", "1:l": links },
  ]);
});

test("drops new prompts before replaced prompts if a history record becomes too long", async () => {
  const { store } = await start();
  const session = await store.lock(patience);
  await session.begin(service);
  const entry = (digest: string) =>
    createEntry("a1", { applied: { prompt: { digest, length: 20_000_000 } } });
  for (const digest of ["1:a", "1:b", "1:c"]) session.keepText(digest, digest);
  session.completeIntent("context.a", entry("1:a"));
  session.completeIntent("context.b", entry("1:b"));
  await session.commit();
  for (const digest of ["1:b", "1:c"]) session.keepText(digest, digest);
  session.completeIntent("context.b", entry("1:c"));
  await session.commit();
  await session.release();
  expect(await listRecords(store)).toMatchObject([{ texts: { "1:b": "1:b" } }, { texts: { "1:a": "1:a" } }]);
});

test("records an interrupted run's work during the next run", async () => {
  const { file, store } = await start();
  const first = await store.lock(patience);
  await first.begin(service);
  first.completeIntent("context.a", createEntry("a1"));
  await first.flush();
  // The run ends here, without a commit or release.
  const second = await openStore(file, createMachine(2)).lock({ ...patience, command: "avatarops plan" });
  await second.release();
  expect(await listRecords(store)).toMatchObject([
    {
      ...{ serial: 1, recovered: true, command: "avatarops plan", by: { host: "desk" } },
      objects: { "context.a": { after: createEntry("a1") } },
    },
  ]);
  // Closes the files, as the end of a process would.
  await first.release();
});

test("commits a history record even if some facts about the run are unavailable", async () => {
  const { store } = await start();
  const facts = () => Promise.reject(new Error("no git"));
  await commitTo(store, (session) => session.completeIntent("context.a", createEntry("a1")), {
    collectFacts: facts,
  });
  expect(await listRecords(store)).toMatchObject([{ command: "avatarops apply", by: { host: "desk" } }]);
});

/** Builds a record with values that avatarops passes to git as arguments and must validate first. */
function createHostileRecord(more: object): string {
  const head = { record: 1, lineage: "l", serial: 7, at: "", command: "", by: {}, objects: {} };
  expect(decodeRecord(JSON.stringify(head))).toEqual(head);
  return JSON.stringify({ ...head, ...more });
}
const damaged = { unreadable: "damaged", serial: 7 };

test.each([
  ["not JSON", { unreadable: "damaged" }],
  ["{}", { unreadable: "damaged" }],
  ['{"record":2,"serial":7,"what":"ever"}', { unreadable: "newer", serial: 7 }],
  ['{"record":1,"serial":7,"lineage":"l"}', { unreadable: "damaged", serial: 7 }],
  ['{"record":1,"serial":-7}', { unreadable: "damaged" }],
  [
    createHostileRecord({ definitions: { commit: "--output=x", modified: false, folder: "", file: "a" } }),
    damaged,
  ],
  [createHostileRecord({ restored: { serial: 1, commit: "--output=x" } }), damaged],
])("returns the readable fields of an unusable history record: %s", (text, known) => {
  expect(decodeRecord(text)).toEqual(known);
});

test.each([
  [
    "apply: 2 updated, 1 created, 1 failed (production)",
    {
      command: "avatarops apply",
      definitions: {
        ...{ commit: "a".repeat(40), modified: false, folder: "", file: "a" },
        environment: "production",
      },
      results: ["create", "update", "update", "delete"].map((action, at) => ({
        ...{ address: `context.c${at}`, action, status: action === "delete" ? "failed" : "applied" },
      })),
      objects: { "context.c1": { after: createEntry("a1") } },
    },
  ],
  [
    "pull: 1 changed, 1 added",
    {
      command: "avatarops pull",
      objects: {
        "context.a": { before: createEntry("a1"), after: createEntry("a1") },
        "context.b": { after: createEntry("b1") },
      },
    },
  ],
  [
    "state mv: context.a is now context.b",
    {
      command: "avatarops state mv",
      moved: { from: "context.a", to: "context.b" },
      objects: { "context.a": { before: createEntry("a1") }, "context.b": { after: createEntry("a1") } },
    },
  ],
  ["hold x", { command: "avatarops hold\u001b\nx", objects: {} }],
])("summarizes a history record as %s", (line, more) => {
  const record = { record: 1, lineage: "l", serial: 7, at: "", by: {}, ...more };
  expect(summarizeRecord(JSON.stringify(record))).toBe(line);
});

test("summarizes a damaged history record without its changes", () => {
  expect(summarizeRecord("torn")).toBe("avatarops");
});

test("keeps a history record that follows a record cut off by a crash", async () => {
  const { file, store } = await start();
  await appendFile(`${file}.history`, '{"record":1,"ser');
  await commitTo(store, (session) => session.completeIntent("context.a", createEntry("a1")));
  expect(await listRecords(store)).toMatchObject([{ serial: 1 }, { unreadable: "damaged" }]);
  expect((await readFile(`${file}.history`, "utf8")).split("\n")).toHaveLength(3);
});

test.each([0, 1, 2, 65_534, 65_535, 65_536, 65_537, 131_072, 200_000])(
  "reads lines of %d characters unchanged from the end of a file",
  async (length) => {
    const file = `${await makeFolder()}/lines`;
    const lines = ["first", "ü".repeat(length), "", "x".repeat(length), "last"];
    await writeFile(file, lines.map((line) => `${line}\n`).join(""));
    const read = [];
    for await (const line of readLinesFromEnd(file)) read.push(line);
    expect(read.reverse()).toEqual(lines);
    await appendFile(file, "torn");
    const again = [];
    for await (const line of readLinesFromEnd(file)) again.push(line);
    expect(again.reverse()).toEqual(lines);
  },
);
