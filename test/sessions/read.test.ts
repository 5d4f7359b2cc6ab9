import { afterEach, describe, expect, test } from "vitest";
import { nodeSystem } from "../../src/base/system/index.js";
import { openService } from "../../src/core/api/index.js";
import { type Behavior, type Emulator, generateDataset, type Session } from "../../src/emulator/index.js";
import { readSessions, type SessionQuery, type SessionRow } from "../../src/sessions/reports/index.js";
import { startEmulator } from "../documented-emulator.js";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const start = Date.parse("2026-03-01T00:00:00Z");
const minute = 60_000;

async function open(count: number, behavior: Partial<Behavior> = {}, edit = (_: Session, __: number) => {}) {
  const world = generateDataset({ sessions: count });
  for (const [at, session] of world.sessions.entries()) {
    const createdMs = start + at * minute;
    session.created_at = new Date(createdMs).toISOString();
    session.ended_at = new Date(createdMs + ((at * 7) % 10) * minute).toISOString();
    session.updated_at = session.ended_at;
    edit(session, at);
  }
  const emulator = await startEmulator({ world, behavior });
  const service = openService({ baseUrl: emulator.url, apiKey: "test-key", system: nodeSystem });
  closers.push(async () => {
    await service.close();
    await emulator.close();
  });
  const read = async (query: Partial<SessionQuery> = {}, most = Number.POSITIVE_INFINITY) => {
    const stream = readSessions(service, { type: "historic", ...query });
    const rows: SessionRow[] = [];
    for await (const row of stream) {
      rows.push(row);
      if (rows.length >= most) break;
    }
    return { rows, facts: stream.facts(), ids: rows.map(({ id }) => id) };
  };
  const expected = world.sessions.map(({ id }) => id).reverse();
  return { emulator, service, read, expected };
}

const orders = ["created", "updated", "shuffled"] as const;

describe("readSessions", () => {
  test.each(orders)("returns each session once, newest first, from a list in %s order", async (listOrder) => {
    const { read, expected } = await open(730, { listOrder });
    const { ids, facts } = await read();
    expect(ids).toEqual(expected);
    expect(facts).toMatchObject({ read: 730, unstable: false });
  });

  test.each(["created", "updated"] as const)(
    "stops reading at the end of the period: %s",
    async (listOrder) => {
      const { read, expected, emulator } = await open(5_000, { listOrder });
      const since = start + 4_700 * minute;
      const { ids } = await read({ since, until: start + 4_800 * minute });
      expect(ids).toEqual(expected.slice(200, 300));
      expect(emulator.requests.length).toBeLessThan(12);
    },
  );

  test.each(orders)("misses no session if sessions end between two pages: %s", async (listOrder) => {
    const { read, expected, emulator } = await open(1_000, { listOrder });
    for (let n = 0; n < 40; n++) {
      emulator.addFault({
        match: { path: "/v1/sessions" },
        skip: n,
        do: { kind: "run", run: addEndedSession(n) },
      });
    }
    const { ids, facts } = await read();
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => expected.includes(id ?? ""))).toEqual(expected);
    expect(facts.unstable).toBe(false);
  });

  test.each([...orders, "newest"] as const)(
    "misses no remaining session if others are deleted between two pages: %s",
    async (listOrder) => {
      const { read, expected, emulator } = await open(1_000, { listOrder });
      const deleted = new Set<string>();
      for (let n = 0; n < 12; n++) {
        // Deletes sessions at both ends of the list. One end has already been read.
        const run = () => deleteSession(emulator, n % 3 === 0 ? 0 : -1, deleted);
        emulator.addFault({ match: { path: "/v1/sessions" }, skip: n, do: { kind: "run", run } });
      }
      const { ids, facts } = await read();
      const isLeft = (id = "") => !deleted.has(id);
      expect(deleted.size).toBe(12);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.filter(isLeft)).toEqual(expected.filter(isLeft));
      expect(facts.unstable).toBe(false);
    },
  );
});

/** Deletes the first or last session, like a service with a retention period. */
function deleteSession(emulator: Emulator, at: 0 | -1, deleted: Set<string>): void {
  const [session] = emulator.world.sessions.splice(at, 1);
  if (session) deleted.add(session.id);
}

/** Adds an ended session that started after all others. */
function addEndedSession(n: number) {
  return (emulator: Emulator) => {
    const at = new Date(start + (2_000 + n) * minute).toISOString();
    emulator.addSession({ created_at: at, updated_at: at, ended_at: at, end_reason: "USER_CLOSED" });
  };
}
