// @module-tag ci
/** Tests state servers that return forged content. */
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { newFolder, runIn } from "../cli/hosting.js";
import { startEmulator } from "../documented-emulator.js";
import { write } from "../git/repositories.js";
import { isLong } from "../real/long.js";
import { type Planted, serverStores } from "../stores/server-stores.js";
import { joinStreams } from "./thief.js";

const hostile =
  "\u001b[2J\u001b]0;x\u0007\u009b31m\u202e\u200b\u{e0041}\n::error::x ##vso[x]y $(touch evil) <img src=x>";
const treacherous = /[\0-\x09\x0b-\x1f\x7f-\x9f\u202e\u200b\u{e0041}]|^\s*::error|##vso\[/mu;
const deep = "[".repeat(200_000) + "]".repeat(200_000);
const long = "x".repeat(200_000);

const createEntry = (name = "Desk") => ({ id: "8e6c5b1e-0000-4000-8000-000000000001", applied: { name } });

function formatState(service: string, more: object = {}): string {
  const state = { version: 1, lineage: "line", serial: 1, service, objects: {}, pending: {}, ...more };
  return JSON.stringify(state).replaceAll("PROTO", "__proto__");
}

function formatRecord(more: object = {}): string {
  const facts = { record: 1, lineage: "line", serial: 1, at: "2026-01-01T00:00:00Z", by: {} };
  const objects = { "context.desk": { after: createEntry() } };
  return JSON.stringify({ ...facts, command: "avatarops apply", objects, ...more }).replaceAll(
    "PROTO",
    "__proto__",
  );
}

const formatJournal = (header: object, ...steps: object[]) =>
  [
    { journal: 1, id: "j", lineage: "line", serial: 1, requestTimeoutMs: 30_000, ...header },
    ...steps.map((step) => [step]),
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("");

/** Returns the content that an attacker plants in a store, by name. */
function createPlantings(service: string): Readonly<Record<string, Planted>> {
  const state = formatState(service, { objects: { "context.desk": createEntry() } });
  const superseded = [{ id: "x-1", label: hostile, since: hostile }];
  const pending = {
    "secret.a": { address: "secret.a", action: "create", label: hostile, sent: { name: hostile } },
  };
  const keys = ["PROTO", "constructor", "../../evil", "context.../../evil", `context.${hostile}`];
  const definitions = { commit: "a".repeat(40), modified: true, folder: "../../..", file: "/etc/passwd" };
  return {
    "texts of a state": {
      state: formatState(service, {
        lineage: hostile,
        objects: {
          "context.desk": { ...createEntry(hostile), inSyncAt: hostile, superseded },
          PROTO: createEntry(),
        },
        pending: { "secret.a": { ...pending["secret.a"], known: [], at: hostile } },
      }),
    },
    ...Object.fromEntries(
      keys.map((key) => [
        `the key ${key}`,
        { state: formatState(service, { objects: { [key]: createEntry() } }) },
      ]),
    ),
    "another service": { state: formatState(hostile) },
    "an unknown field": { state: formatState(service, { [hostile]: 1 }) },
    "another version": { state: '{"version":7e300}' },
    "no state": { state: hostile },
    "merge markers": { state: `${hostile}\n<<<<<<< ${hostile}` },
    "a deep state": { state: deep },
    "a long state": { state: formatState(service, { objects: { "context.desk": createEntry(long) } }) },
    "another journal": { state, journal: hostile.repeat(3) },
    "the journal of another": {
      state,
      journal: formatJournal({ lineage: hostile, service: hostile }, { settle: "context.b" }),
    },
    "keys of a journal": {
      state,
      journal: formatJournal({ service }, { settle: "__proto__", entry: createEntry() }),
    },
    "a deep journal": { state, journal: `${deep}\n` },
    "texts of a record": {
      state,
      records: [
        formatRecord({
          ...{
            command: hostile,
            at: hostile,
            plan: hostile,
            definitions: { ...definitions, environment: hostile },
          },
          by: { user: hostile, host: hostile, ci: hostile, run: hostile },
          objects: { "context.desk": { before: createEntry("Before"), after: createEntry(hostile) } },
          restored: { serial: 1 },
        }),
      ],
    },
    "keys of a record": {
      state,
      records: [
        formatRecord({ objects: Object.fromEntries(keys.map((key) => [key, { after: createEntry() }])) }),
      ],
    },
    "other records": {
      state: formatState(service, { serial: 9, objects: { "context.desk": createEntry() } }),
      records: ["[]", hostile, '{"record":7e300,"serial":8}', '{"record":1,"serial":-5}', deep],
    },
    "a long record": { state, records: [formatRecord({ command: long })] },
    "the holder of a lock": {
      state,
      lock: JSON.stringify({ id: "b2a4e4b0", pid: 1, host: hostile, since: hostile, command: hostile }),
    },
    "another lock": {
      state,
      lock: JSON.stringify({ id: hostile, pid: -1, host: hostile, command: hostile }),
    },
  };
}

const commands = [
  ["plan"],
  ["state", "list"],
  ["state", "show", "context.desk"],
  ["state", "list", "--format", "json"],
  ["history"],
  ["history", "context.desk", "--diff", "--format", "markdown"],
  ["show", "context.desk", "--at", "1"],
  ["rollback", "--to", "1", "-y"],
  ["apply", "-y"],
  ["state", "unlock"],
];

test.each(serverStores)(
  "shows a forged state as plain text without opening or running anything: %s",
  async (name, open) => {
    const store = await open();
    const emulator = await startEmulator();
    onTestFinished(() => emulator.close());
    const all = createPlantings(emulator.url);
    const together = {
      texts: { ...all["texts of a state"], ...all["texts of a record"], ...all["another lock"] },
      nothing: { state: hostile, journal: hostile, lock: hostile, records: [hostile] },
    };
    // Tests each kind of content separately only over HTTP, which is fastest.
    for (const [what, texts] of Object.entries(name === "HTTP" && isLong ? all : together)) {
      const root = await newFolder();
      const folder = path.join(root, "project");
      mkdirSync(folder);
      store.prepare(folder);
      await store.plant(texts);
      const manifest = `state: ${store.location}\ncontexts:\n  desk: { name: Desk, prompt: Be kind. }\n`;
      write(folder, "avatarops.yaml", manifest);
      const environment = {
        ...store.environment,
        AVATAROPS_BASE_URL: emulator.url,
        AVATAROPS_API_KEY: "test-key",
      };
      for (const argv of commands) {
        const waits = { backoffMs: 1, settleMs: 0, tickMs: 0, storeMs: 50 };
        const ran = await runIn(folder, argv, { environment, waits });
        const message = `${what}: ${argv.join(" ")}: ${joinStreams(ran).slice(0, 2_000)}`;
        expect(joinStreams(ran), message).not.toMatch(treacherous);
        // A recommended command must contain a hostile string only as one quoted word.
        expect(joinStreams(ran), message).not.toMatch(/bug in avatarops|`avatarops [^`']*\$\(/);
        expect([0, 1, 2, 3, 6, 7], message).toContain(ran.exit);
      }
      expect(readdirSync(root)).toEqual(["project"]);
      const files = readdirSync(folder).filter((file) => !file.startsWith("."));
      expect(files).toEqual(["avatarops.yaml"]);
      expect(readFileSync(path.join(folder, "avatarops.yaml"), "utf8")).not.toMatch(/\u001b|\u009b|!exec/);
      emulator.world.contexts.splice(0);
    }
  },
);
