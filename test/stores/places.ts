import { randomUUID } from "node:crypto";
import { PutObjectCommand } from "@aws-sdk/client-s3";
import { onTestFinished, vi } from "vitest";
import { moto, postgres } from "../../scripts/test-servers.js";
import { openStore } from "../../src/core/state/index.js";
import { environmentOf, git, newFolder, write } from "../git/repositories.js";
import { machine } from "../state/building.js";
import { location as gitLocation, lockRef, newClone, newRemote, stateRef } from "../state/git-servers.js";
import { credentials, gitlabPath, startHttpBackend } from "./http-backend.js";
import { connectAdministrator, startPostgres } from "./postgres-server.js";
import { s3Location } from "./s3-place.js";
import { s3Credentials, startMoto } from "./s3-servers.js";

/** What somebody else puts in the place of a state. */
export interface Planted {
  readonly state?: string;
  readonly journal?: string;
  /** The holder of the lock, as JSON. */
  readonly lock?: string;
  /** Newest first. */
  readonly records?: readonly string[];
}

/** Where a project keeps its state, on a server that somebody else can write to. */
export interface ServerPlace {
  readonly location: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Makes the project's folder what the store needs. */
  prepare(folder: string): void;
  /** Replaces all that there is. */
  plant(texts: Planted): Promise<void>;
}

/** A place on a server of each sort that is installed, for one test. */
export const serverPlaces: readonly (readonly [name: string, open: () => Promise<ServerPlace>])[] = [
  ["git", async () => openGit()],
  ["HTTP", openHttp],
  ...(moto.has() ? [["S3", openS3] as const] : []),
  ...(postgres.has() ? [["PostgreSQL", openPostgres] as const] : []),
];

function openGit(): ServerPlace {
  const remote = newRemote();
  const clone = newClone(remote.url);
  return {
    location: gitLocation,
    environment: environmentOf(newFolder()),
    prepare(folder) {
      git(folder, "init", "--quiet");
      git(folder, "remote", "add", "origin", remote.url);
    },
    async plant({ state, journal, lock, records = [] }) {
      const commit = (files: Readonly<Record<string, string | undefined>>, parent?: string) => {
        git(clone, "read-tree", "--empty");
        for (const [file, text] of Object.entries(files)) {
          if (text === undefined) continue;
          write(clone, file, text);
          git(clone, "add", "--force", "--", file);
        }
        const parents = parent === undefined ? [] : ["-p", parent];
        return git(clone, "commit-tree", ...parents, "-m", "planted", git(clone, "write-tree"));
      };
      let newest: string | undefined;
      for (const record of [...records].reverse())
        newest = commit({ "state.json": state, "apply.json": record }, newest);
      if (records.length === 0 && state !== undefined) newest = commit({ "state.json": state });
      const held =
        lock === undefined && journal === undefined
          ? undefined
          : commit({ "lock/0000000000": lockText(lock, journal) });
      const specs = [`+${newest ?? ""}:${stateRef}`, `+${held ?? ""}:${lockRef}`];
      for (const spec of specs) {
        const isThere = !spec.startsWith("+:");
        if (isThere || git(clone, "ls-remote", "origin", spec.slice(2)) !== "")
          git(clone, "push", "--quiet", "origin", isThere ? spec : spec.slice(1));
      }
    },
  };
}

async function openHttp(): Promise<ServerPlace> {
  const backend = await startHttpBackend("gitlab");
  onTestFinished(() => backend.close());
  const path = `${gitlabPath}/planted`;
  return {
    location: `http://127.0.0.1:${backend.port}${path}`,
    environment: credentials,
    prepare() {},
    async plant({ state, journal, lock, records = [] }) {
      const holder = parsed(lock) as { id?: string; command?: string; host?: string; since?: string };
      const history = [...records].reverse();
      const document = { avatarops: 1, serial: 1, lineage: "l", write: "theirs", state, journal, history };
      backend.states.set(path, {
        text: JSON.stringify(document),
        serials: new Set(),
        ...(lock === undefined
          ? {}
          : {
              lock: {
                ID: holder?.id ?? lock,
                Who: holder?.host,
                Operation: holder?.command,
                Created: holder?.since,
              },
            }),
      });
    },
  };
}

async function openS3(): Promise<ServerPlace> {
  for (const [name, value] of Object.entries({ ...s3Credentials, AWS_MAX_ATTEMPTS: "1" }))
    vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const server = await startMoto();
  onTestFinished(() => server.close());
  const key = `planted/${randomUUID()}.json`;
  const put = (suffix: string, Body: string) =>
    server.client.send(new PutObjectCommand({ Bucket: "states", Key: `${key}${suffix}`, Body }));
  return {
    location: s3Location(key, server.port),
    environment: s3Credentials,
    prepare() {},
    async plant({ state, journal, lock, records = [] }) {
      if (state !== undefined) await put("", state);
      await put(".lock", lock === undefined && journal === undefined ? "# Removed" : lockText(lock, journal));
      for (const [at, record] of records.entries()) await put(`.history/${99_999_990 + at}.json`, record);
    },
  };
}

async function openPostgres(): Promise<ServerPlace> {
  const server = await startPostgres();
  onTestFinished(() => server.close());
  const administrator = await connectAdministrator(server);
  onTestFinished(() => administrator.end());
  const location = `postgres://avatarops@127.0.0.1:${server.port}/postgres?name=planted`;
  const environment = { PGPASSWORD: server.password };
  // It makes the tables.
  const options = { command: "test", timeoutMs: 0 };
  await (await openStore(location, { ...machine(), environment }).lock(options)).release();
  return {
    location,
    environment,
    prepare() {},
    async plant({ state, journal, lock, records = [] }) {
      const insert = (table: string, column: string, ...values: unknown[]) =>
        administrator.query(
          `insert into avatarops.${table} (name, ${column}) values ('planted', ${values.map((_, at) => `$${at + 1}`).join(", ")})`,
          values,
        );
      for (const table of ["part", "record"]) await administrator.query(`delete from avatarops.${table}`);
      if (state !== undefined) await insert("part", "part, text", "state", state);
      if (lock !== undefined || journal !== undefined)
        await insert("part", "part, text", "lock", lockText(lock, journal));
      for (const [at, record] of records.entries())
        await insert("record", "number, record", records.length - at, record);
    },
  };
}

/** The holder, and the journal behind it. */
function lockText(lock = '{"released":"x"}', journal = ""): string {
  return `${lock}\n${journal}`;
}

function parsed(text = "null"): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
