import { randomUUID } from "node:crypto";
import path from "node:path";
import { tools } from "../../scripts/tools.js";
import { createGitEnvironment, git, newFolder } from "../git/repositories.js";
import { isLong } from "../real/long.js";
import { type FaultProxy, startFaultProxy } from "../state/fault-proxy.js";
import {
  location as gitLocation,
  newClone,
  newRemote,
  startHttpBackend as startGitBackend,
} from "../state/git-servers.js";
import { credentials, gitlabPath, startHttpBackend } from "../stores/http-backend.js";
import { startPostgres } from "../stores/postgres-server.js";
import { formatS3Location } from "../stores/s3-fixture.js";
import { s3Credentials, startMoto, startVersitygw } from "../stores/s3-servers.js";
import type { SharedState } from "./record-history.js";

/** The long run uses a real S3 server. */
const hasVersitygw = isLong && tools.versitygw.has();

/** State store with one server for all histories. */
export interface SharedStore {
  readonly name: string;
  readonly tags: readonly string[];
  /** Number of histories per batch. A short run records one batch. */
  readonly inEveryRun: number;
  start(): Promise<{ newState(): SharedState; close(): Promise<void> }>;
}

/** Port and stop function of a store's server. */
interface Server {
  readonly port: number;
  close?(): Promise<void>;
}

export const sharedStores: readonly SharedStore[] = [
  {
    ...{ name: "a file", tags: [], inEveryRun: 4 },
    async start() {
      const newState = () => {
        const folder = newFolder();
        return { location: path.join(folder, "state.json"), environment: {}, folder: () => folder };
      };
      return { newState, close: async () => {} };
    },
  },
  {
    // A history takes 2.6 s of CPU time, and half a minute on a busy machine, because each step starts git several
    // times.
    ...{ name: "git over HTTP", tags: [], inEveryRun: 2 },
    async start() {
      const remote = newRemote();
      const { faults, close } = await startFaultyServer(await startGitBackend(remote));
      const clones = Array.from({ length: 8 }, () => {
        const clone = newClone(remote.url);
        git(clone, "remote", "set-url", "origin", `http://127.0.0.1:${faults.port}/`);
        return clone;
      });
      const newState = () => ({
        location: gitLocation.replace("production", randomUUID()),
        environment: createGitEnvironment(newFolder()),
        faults,
        slowness: 5,
        folder: (client: number) => clones[client] as string,
      });
      return { newState, close };
    },
  },
  ...(["gitlab", "terraform"] as const).map((flavor) => ({
    ...{ name: `HTTP with a ${flavor} server`, tags: [], inEveryRun: 3 },
    async start() {
      const { faults, close } = await startFaultyServer(await startHttpBackend(flavor));
      const folder = newFolder();
      const states = flavor === "gitlab" ? gitlabPath : "/states";
      const newState = () => ({
        location: `http://127.0.0.1:${faults.port}${states}/${randomUUID()}`,
        environment: credentials,
        faults,
        folder: () => folder,
      });
      return { newState, close };
    },
  })),
  {
    ...{ name: "S3", tags: [hasVersitygw ? "versitygw" : "moto"], inEveryRun: 3 },
    async start() {
      const { faults, close } = await startFaultyServer(
        await (hasVersitygw ? startVersitygw() : startMoto({ isSerial: true })),
      );
      const folder = newFolder();
      const newState = () => ({
        location: formatS3Location(`${randomUUID()}.json`, faults.port),
        environment: s3Credentials,
        faults,
        folder: () => folder,
      });
      return { newState, close };
    },
  },
  {
    ...{ name: "PostgreSQL", tags: ["postgresql"], inEveryRun: 3 },
    async start() {
      const server = await startPostgres();
      const { faults, close } = await startFaultyServer(server);
      const folder = newFolder();
      const newState = () => ({
        location: `postgres://avatarops@127.0.0.1:${faults.port}/postgres?name=${randomUUID()}`,
        environment: { PGPASSWORD: server.password },
        faults,
        folder: () => folder,
      });
      return { newState, close };
    },
  },
];

async function startFaultyServer(server: Server): Promise<{ faults: FaultProxy; close(): Promise<void> }> {
  const faults = await startFaultProxy(server.port);
  return {
    faults,
    async close() {
      await faults.close();
      await server.close?.();
    },
  };
}
