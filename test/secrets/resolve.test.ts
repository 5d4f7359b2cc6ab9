import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { nodeSystem } from "../../src/base/system/index.js";
import {
  identifySource,
  resolve,
  resolveWithVersion,
  type SourceContext,
  type SourceEnvironment,
  SourceError,
  type SourceKind,
  SourceRun,
  type ValueSource,
} from "../../src/core/secrets/index.js";

/** Tests the source runner, which all kinds of sources share, with a scripted source. */

const canary = "K-canary-0001";

interface Fields {
  readonly path: string;
  readonly address?: string;
}

type Read = SourceKind<Fields>["read"];

function createKind(read: Read, more: Partial<SourceKind<Fields>> = {}): SourceKind<Fields> {
  return {
    name: "stub",
    title: "Told",
    fields: {
      path: { type: "string", required: true, description: "Path." },
      address: { type: "url", required: true, variable: "STUB_ADDR", description: "Address." },
    },
    describe: ({ path }) => `stub secret ${path}`,
    rights: { value: "any" },
    read,
    ...more,
  };
}

function createWorld(kind: SourceKind<Fields>, more: Partial<SourceEnvironment> = {}): SourceEnvironment {
  const kinds = new Map<string, SourceKind>([[kind.name, kind]]);
  return {
    root: "/",
    allowCode: true,
    system: nodeSystem,
    environment: { STUB_ADDR: "https://stub" },
    kinds,
    backoffMs: 1,
    ...more,
  };
}

const createSource = (more: object = {}): ValueSource => ({ from: "stub", path: "a", ...more });

/** Creates a source that fails a number of times, then returns a value, and counts its reads. */
function createFailingSource(times: number, fail: (context: SourceContext) => Error) {
  let reads = 0;
  const kind = createKind(async (_, context) => {
    reads++;
    if (reads <= times) throw fail(context);
    return { value: canary, version: "3" };
  });
  return { kind, reads: () => reads };
}

describe("source runner", () => {
  test("reads at most eight sources at a time", async () => {
    let [open, most] = [0, 0];
    const kind = createKind(async ({ path }) => {
      most = Math.max(most, ++open);
      await new Promise((done) => setTimeout(done, 2));
      open--;
      return { value: path };
    });
    const at = createWorld(kind, { run: new SourceRun() });
    const paths = Array.from({ length: 30 }, (_, i) => `path-${i}`);
    const found = await Promise.all(paths.map((path) => resolve(createSource({ path }), at)));
    expect(found.map((value) => value.reveal())).toEqual(paths);
    expect(most).toBe(8);
  });

  test("tries an unreachable source up to four times", async () => {
    const { kind, reads } = createFailingSource(3, ({ error }) => error("unreachable", "answers 503."));
    expect(await resolveWithVersion(createSource(), createWorld(kind))).toMatchObject({ version: "3" });
    expect(reads()).toBe(4);
    const never = createFailingSource(9, ({ error }) => error("unreachable", "answers 503."));
    await expect(resolve(createSource(), createWorld(never.kind))).rejects.toMatchObject({
      code: "unreachable",
      message: "The stub secret a answers 503. Tried 4 times.",
    });
    expect(never.reads()).toBe(4);
  });

  test("retries a source after a system connection error", async () => {
    const cause = Object.assign(new Error(canary), { code: "ECONNREFUSED" });
    const { kind, reads } = createFailingSource(1, () => new TypeError("fetch failed", { cause }));
    await resolve(createSource(), createWorld(kind));
    expect(reads()).toBe(2);
  });

  test.each(["refused", "malformed", "not-found"] as const)(
    "does not retry a source that fails with %s",
    async (code) => {
      const { kind, reads } = createFailingSource(9, ({ error }) => error(code, "is so."));
      await expect(resolve(createSource(), createWorld(kind))).rejects.toMatchObject({ code });
      expect(reads()).toBe(1);
    },
  );

  test("stops if the run is cancelled", async () => {
    const stop = new AbortController();
    const kind = createKind(async () => {
      stop.abort();
      return new Promise(() => {});
    });
    await expect(resolve(createSource(), createWorld(kind, { signal: stop.signal }))).rejects.toMatchObject({
      code: "cancelled",
    });
  });

  test("reads a missing field from its environment variable, and names the variable if it is unset", async () => {
    const kind = createKind(async ({ address = "" }) => ({ value: address }));
    expect((await resolve(createSource(), createWorld(kind))).reveal()).toBe("https://stub");
    expect((await resolve(createSource({ address: "https://own" }), createWorld(kind))).reveal()).toBe(
      "https://own",
    );
    await expect(resolve(createSource(), createWorld(kind, { environment: {} }))).rejects.toMatchObject({
      code: "not-set",
      message: "The stub secret a has no address. Add it, or set STUB_ADDR.",
    });
  });
});

test.each(["", "v".repeat(201)])("rejects the invalid secret version %j", async (version) => {
  const kind = createKind(async () => ({ value: canary, version }));
  await expect(resolve(createSource(), createWorld(kind))).rejects.toMatchObject({ code: "malformed" });
});

test("shows only the system error code of an unknown error", async () => {
  const thrown = Object.assign(new Error(`answer ${canary}`), { code: "EPROTO", body: canary, name: canary });
  const kind = createKind(async () => Promise.reject(thrown));
  const error: unknown = await resolve(createSource(), createWorld(kind)).catch(
    (problem: unknown) => problem,
  );
  expect(error).toBeInstanceOf(SourceError);
  expect(error).toMatchObject({
    code: "failed",
    message:
      "The stub secret a could not be read (EPROTO). The error message is hidden, because it may contain the response.",
  });
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(canary);
});

describe("failed connection to a secret source", () => {
  // vault.test.ts tests that a connection is opened once, shared and closed.
  test("is reported for each source and retried", async () => {
    let opened = 0;
    const kind = createKind(async (_, { connection, error }) => {
      await connection("login", async () => {
        opened++;
        throw error("refused", "refuses the login.");
      });
      return { value: canary };
    });
    const at = createWorld(kind, { run: new SourceRun() });
    const problems = await Promise.all(
      ["a", "b"].map((path) => resolve(createSource({ path }), at).catch((error: Error) => error.message)),
    );
    expect(problems).toEqual(["a", "b"].map((path) => `The stub secret ${path} refuses the login.`));
    expect(opened).toBe(1);
    await expect(resolve(createSource({ path: "c" }), at)).rejects.toMatchObject({ code: "refused" });
    expect(opened).toBe(2);
  });
});

describe("secret source identity", () => {
  test("depends on path and address but not on the timeout", async () => {
    const at = createWorld(createKind(async () => ({ value: canary })));
    const identity = (more: object) => identifySource(createSource(more), at);
    const same = await identity({});
    expect(await identity({ timeoutMs: 5 })).toEqual(same);
    const withAddress = await identity({ address: "https://stub" });
    expect(withAddress.source).toBe(same.source);
    expect(withAddress.written).not.toBe(same.written);
    expect((await identity({ path: "b" })).source).not.toBe(same.source);
    expect((await identity({ address: "https://other" })).source).not.toBe(same.source);
  });
});
