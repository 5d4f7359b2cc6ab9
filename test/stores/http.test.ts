// @module-tag night
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { encodeState } from "../../src/core/state/encoding.js";
import { openBackend } from "../../src/core/state/open-backend.js";
import { createState, listRecords, lock } from "../state/building.js";
import { allDisturbances, describeStore, type StoreFixture } from "../state/compliance.js";
import { type FaultProxy, startFaultProxy } from "../state/fault-proxy.js";
import { createMachineIn } from "../state/git-servers.js";
import { credentials, gitlabPath, type HttpBackend, startHttpBackend } from "./http-backend.js";

describe.each(["gitlab", "terraform"] as const)("HTTP store with a %s server", (flavor) => {
  let backend: HttpBackend;
  let faults: FaultProxy;
  let made = 0;
  beforeAll(async () => {
    backend = await startHttpBackend(flavor);
    faults = await startFaultProxy(backend.port);
  });
  afterAll(async () => {
    await faults.close();
    await backend.close();
  });

  async function newFixture(): Promise<StoreFixture> {
    const name = `${flavor === "gitlab" ? gitlabPath : "/states"}/production-${++made}`;
    const environment = { environment: credentials };
    return {
      location: `http://127.0.0.1:${faults.port}${name}`,
      direct: `http://127.0.0.1:${backend.port}${name}`,
      environment,
      faults,
      async removeLock() {
        delete backend.states.get(name)?.lock;
      },
      async overwriteState(text) {
        const stored = backend.states.get(name);
        if (!stored?.text) throw new Error("There is no state yet.");
        const document = JSON.parse(stored.text);
        stored.text = JSON.stringify({
          ...document,
          serial: document.serial + 1,
          write: "theirs",
          state: text,
        });
      },
      stranger: {
        environment: { environment: { ...credentials, TF_HTTP_PASSWORD: "wrong-horse" } },
        secret: "wrong-horse",
      },
    };
  }

  const machine = () => ({ ...createMachineIn("/"), environment: credentials });
  const state = (serial: number) => encodeState(createState({ serial }), undefined);
  const recordOf = (serial: number) => JSON.stringify({ record: serial });
  const newestFirst = (length: number) => Array.from({ length }, (_, at) => recordOf(length - at));

  /** Commits each serial of a range, as separate applies would. */
  async function commit(location: string, from: number, to: number): Promise<void> {
    const hold = await lock(await openBackend(location, machine()));
    await hold.read();
    try {
      for (let serial = from; serial <= to; serial++)
        await hold.commit({ state: state(serial), record: recordOf(serial) });
    } finally {
      await hold.release().catch(() => undefined);
    }
  }

  async function historyAt(location: string): Promise<string[]> {
    return listRecords(await openBackend(location, machine()));
  }

  test("keeps the whole history without increasing the document size", async () => {
    const { direct } = await newFixture();
    await commit(direct, 1, 230);
    const text = backend.states.get(new URL(direct).pathname)?.text ?? "";
    expect(JSON.parse(text).history.length).toBeLessThanOrEqual(100);
    expect(await historyAt(direct)).toEqual(newestFirst(230));
  });

  test("keeps long records out of the document", async () => {
    const { direct } = await newFixture();
    const long = (at: number) => JSON.stringify({ at, texts: "x".repeat(300_000) });
    const hold = await lock(await openBackend(direct, machine()));
    await hold.read();
    for (let at = 1; at <= 20; at++) await hold.commit({ record: long(at) });
    await hold.release();
    expect(backend.states.get(new URL(direct).pathname)?.text?.length).toBeLessThan(2_100_000);
    expect(await historyAt(direct)).toEqual(Array.from({ length: 20 }, (_, at) => long(20 - at)));
  });

  test("neither loses nor duplicates records if a request fails while old records are moved", {
    tags: flavor === "terraform" ? "night" : [],
  }, async () => {
    const full = await newFixture();
    await commit(full.direct, 1, 100);
    const { text = "" } = backend.states.get(new URL(full.direct).pathname) ?? {};
    const serials = [JSON.parse(text).serial];
    let isOver = false;
    for (let at = 0; !isOver; at++) {
      for (const fault of ["refused", "answer lost", "the end"] as const) {
        const fixture = await newFixture();
        backend.states.set(new URL(fixture.direct).pathname, { text, serials: new Set(serials) });
        fixture.faults?.disturb((request) => {
          if (request < at || (fault !== "the end" && request > at)) return undefined;
          return fault === "the end" ? "refused" : fault;
        });
        const error = await commit(fixture.location, 101, 101).catch((thrown: unknown) => thrown);
        isOver = (fixture.faults?.requests ?? 0) <= at;
        fixture.faults?.disturb(() => undefined);
        await fixture.removeLock();
        const history = await historyAt(fixture.direct);
        expect([newestFirst(101), ...(error ? [newestFirst(100)] : [])]).toContainEqual(history);
        await commit(fixture.direct, history.length + 1, 103);
        expect(await historyAt(fixture.direct)).toEqual(newestFirst(103));
      }
    }
  });

  test.each([
    ["refuses other documents", () => ({ status: 403 })],
    ["keeps only one document for all names", undefined],
  ])("keeps all records in the document if the server %s", async (_, refuse) => {
    const { direct } = await newFixture();
    const { pathname } = new URL(direct);
    backend.answer = ({ url, method }) => {
      if (!url?.includes("-history-")) return undefined;
      if (refuse) return refuse();
      expect(method).toBe("GET");
      return { status: 200, text: backend.states.get(pathname)?.text ?? "" };
    };
    await commit(direct, 1, 120);
    backend.answer = undefined;
    expect(JSON.parse(backend.states.get(pathname)?.text ?? "").history).toHaveLength(120);
    expect(await historyAt(direct)).toEqual(newestFirst(120));
  });

  test("reports missing older records instead of an empty history", async () => {
    const { direct } = await newFixture();
    await commit(direct, 1, 120);
    backend.states.delete(`${new URL(direct).pathname}-history-1`);
    await expect(historyAt(direct)).rejects.toMatchObject({
      code: "corrupt",
      message: expect.stringContaining("-history-1"),
    });
  });

  describeStore("on a server of Terraform's http backend", newFixture, {
    ...(flavor === "gitlab"
      ? { disturbances: allDisturbances.filter((name) => name !== "is refused"), passing: 5 }
      : { disturbances: [], missesRemovedLock: true }),
  });
});
