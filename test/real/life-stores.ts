import { randomUUID } from "node:crypto";
import { startPostgres } from "../stores/postgres-server.js";
import { formatS3Location } from "../stores/s3-fixture.js";
import { s3Credentials, startVersitygw } from "../stores/s3-servers.js";

/** State settings of a test run. */
export interface StateSettings {
  /** Value of `state:` in the manifest. */
  readonly state: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** State store with one server for all test runs. */
export interface LifeStore {
  readonly name: string;
  readonly tags: readonly string[];
  /** Whether the state is a file on a disk that the machines share. `sync` rejects a state file. */
  readonly isFile?: true;
  start(): Promise<{ newState(): StateSettings; close(): Promise<void> }>;
}

const close = async () => {};
const allowed = { AVATAROPS_ALLOW_HOSTS: "127.0.0.1" };

export const lifeStores: readonly LifeStore[] = [
  {
    ...{ name: "a file", tags: [], isFile: true },
    start: async () => ({
      newState: () => ({ state: ".avatarops/state.json", environment: {} }),
      close,
    }),
  },
  {
    ...{ name: "git", tags: [] },
    start: async () => ({
      newState: () => ({ state: "git+refs://origin/avatarops/production", environment: {} }),
      close,
    }),
  },
  {
    ...{ name: "PostgreSQL", tags: ["postgresql"] },
    async start() {
      const server = await startPostgres();
      const newState = () => ({
        state: `postgres://avatarops@127.0.0.1:${server.port}/postgres?name=${randomUUID()}`,
        environment: { PGPASSWORD: server.password, ...allowed },
      });
      return { newState, close: server.close };
    },
  },
  {
    ...{ name: "S3", tags: ["versitygw"] },
    async start() {
      const server = await startVersitygw();
      const newState = () => ({
        state: formatS3Location(`${randomUUID()}.json`, server.port),
        environment: { ...s3Credentials, ...allowed },
      });
      return { newState, close: server.close };
    },
  },
];
