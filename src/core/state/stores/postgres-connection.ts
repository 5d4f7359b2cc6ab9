import { access, constants, realpath } from "node:fs/promises";
import { Socket } from "node:net";
import path from "node:path";
import { isInside } from "../../../base/files/index.js";
import { isLoopback } from "../../../base/http/index.js";
import { withPackage } from "../../../base/optional-packages/index.js";
import { StateError } from "../state-error.js";
import type { StoreEnvironment } from "../store-backend.js";
import { connectionError, describeReason, refused, refuseHost, settingsIn, wrongLocation } from "./errors.js";

/** Where a state is in a database. */
type PostgresAddress = ReturnType<typeof parseAddress>;

export type Row = Readonly<Record<string, unknown>>;

/** A session of the server. */
export interface Connection {
  /** @throws StateError `unreachable`: then it is not known whether the statement was executed; `refused`. */
  rows(statement: string, values: readonly unknown[], timeoutMs: number): Promise<readonly Row[]>;
  /** Never fails. */
  end(): Promise<void>;
}

const files = ["sslrootcert", "sslcert", "sslkey"] as const;
const settings = {
  schema: [(value: string) => /^[a-z_][a-z0-9_]{0,62}$/.test(value), "avatarops_2"],
  ...{ name: null, host: null, sslmode: null, sslrootcert: null, sslcert: null, sslkey: null },
} as const;

/**
 * The password comes from PGPASSWORD or `~/.pgpass`, as with all clients of PostgreSQL. It is sent over TLS to a server
 * whose certificate is verified, unless somebody chooses otherwise.
 */
export async function openPostgres(
  url: URL,
  store: Pick<StoreEnvironment, "root" | "environment" | "hosts" | "isOfBase" | "allowCode">,
): Promise<{ address: PostgresAddress; connect: (timeoutMs: number) => Promise<Connection> }> {
  const { PGPASSWORD, PGUSER, ...environment } = store.environment ?? {};
  const address = parseAddress(url);
  const connection = new URL(url);
  for (const name of ["schema", "name"]) connection.searchParams.delete(name);
  for (const [name, value] of Object.entries(securityIn(url, address, { ...store, environment })))
    connection.searchParams.set(name, value);
  for (const name of files) {
    const file = await fileFor(name, connection, address, { ...store, environment });
    if (file !== undefined) connection.searchParams.set(name, file);
  }
  const { Client } = (await withPackage("pg", "State in PostgreSQL", () => import("pg"), store)).default;
  if (PGPASSWORD) connection.password = encodeURIComponent(PGPASSWORD);
  if (PGUSER && !connection.username) connection.username = encodeURIComponent(PGUSER);
  const connect = async (timeoutMs: number): Promise<Connection> => {
    const socket = new Socket();
    const client = new Client({
      connectionString: connection.href,
      stream: () => socket,
      application_name: "avatarops",
      connectionTimeoutMillis: Math.min(timeoutMs, 10_000),
      keepAlive: true,
    });
    /** Why a connection broke between two statements; the next statement does not say it. */
    let broken: Error | undefined;
    client.on("error", (error) => {
      broken ??= error;
    });
    const end = async () => {
      // A server that does not answer any more does not say goodbye either.
      const patience = setTimeout(() => socket.destroy(), 2_000);
      await client.end().catch(() => undefined);
      clearTimeout(patience);
    };
    try {
      await client.connect();
    } catch (error) {
      await end();
      throw toPostgresError(address.location, error);
    }
    return {
      async rows(statement, values, timeoutMs) {
        const given = values.length > 0 && { values: [...values] };
        const query = { text: statement, query_timeout: timeoutMs, ...given };
        try {
          const response = await client.query<Row>(query);
          return response.rows;
        } catch (error) {
          throw toPostgresError(address.location, broken ?? error);
        }
      },
      end,
    };
  };
  return { address, connect };
}

/** The host that is asked, and how the connection to it is secured. */
function securityIn(
  url: URL,
  { location }: PostgresAddress,
  { environment: { PGHOST, PGSSLMODE } = {}, ...store }: Pick<StoreEnvironment, "environment" | "hosts">,
): Readonly<Record<string, string>> {
  const { host: named, sslmode } = settingsIn(url, location, settings);
  const written = named || decodeURIComponent(url.hostname);
  const host = (written || PGHOST || "localhost").replace(/^\[(.+)\]$/, "$1");
  if (host.startsWith("/")) return { host };
  if (written) refuseHost(location, `postgres://${written}${url.port && `:${url.port}`}`, store);
  const isWeak = sslmode === "disable" || sslmode === "no-verify";
  if (isLoopback(host) || host === "::1")
    return sslmode || PGSSLMODE ? { host, sslmode: sslmode ?? PGSSLMODE ?? "" } : { host };
  if (store.hosts && isWeak && sslmode !== PGSSLMODE)
    throw refused(
      location,
      `sslmode=${sslmode} would send the password to whoever answers`,
      "Remove it from `state:`, or set PGSSLMODE in the environment to the same.",
    );
  return { host, sslmode: sslmode ?? PGSSLMODE ?? "verify-full" };
}

/** The path of a file: one of the project that the URL names, or one that the environment names (`PGSSLROOTCERT`). */
async function fileFor(
  name: (typeof files)[number],
  { searchParams }: URL,
  { location }: PostgresAddress,
  { root, environment = {}, isOfBase }: Pick<StoreEnvironment, "root" | "environment" | "isOfBase">,
): Promise<string | undefined> {
  const variable = `PG${name.toUpperCase()}`;
  const written = searchParams.get(name);
  const given = written ?? environment[variable];
  if (!given) return undefined;
  try {
    const file = path.resolve(root ?? "", given);
    if (written !== null && root !== undefined && !isInside(await realpath(root), await realpath(file)))
      throw new Error("it is outside the project folder");
    if (written !== null && isOfBase && !(await isOfBase(file)))
      throw new Error("it is not that of the base, which decides");
    await access(file, constants.R_OK);
    return file;
  } catch (error) {
    throw refused(
      location,
      `the file of ${name} cannot be read: ${describeReason(error)}`,
      `Correct its path in \`state:\`, which is relative to the project folder and inside it, or name it in ${variable}.`,
      error,
    );
  }
}

function parseAddress(url: URL) {
  const location = `postgres://${url.host}${url.pathname}`;
  const { schema = "avatarops", name = "default" } = settingsIn(url, location, settings);
  if (url.pathname.length < 2) {
    throw wrongLocation(
      location,
      "does not name a database: write postgres://HOST/DATABASE?name=production.",
    );
  }
  return {
    /** Without credentials. */
    location: `${location}?schema=${schema}&name=${encodeURIComponent(name)}`,
    /** Quoted. */
    schema: `"${schema}"`,
    name,
  };
}

function toPostgresError(location: string, error: unknown): StateError {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const said = describeReason(error);
  // The package says this and the next by its message only.
  if (/does not support SSL/.test(said)) {
    const advice =
      "The password is sent over TLS only: let the server have it (`ssl = on`). Where nobody else can read the network, write sslmode=disable in `state:`, or set PGSSLMODE to that.";
    return refused(location, said, advice, error);
  }
  const isMissing = /client password must be/.test(said);
  // Other classes of SQLSTATE are about the connection, resources, or an operator's intervention.
  if (isMissing || /^(?!08|53|57|58)[0-9A-Z]{2}[0-9A-Z]{3}$/.test(code)) {
    const why = isMissing ? "the server asks for a password, and there is none" : `${said} (${code})`;
    const advice =
      "Check the database and the user in `state:`, the user's rights in the schema, and the password (PGPASSWORD, or ~/.pgpass).";
    return refused(location, why, advice, error);
  }
  return connectionError(
    location,
    error,
    "Name the certificate of the authority that signed the server's with `sslrootcert=FILE` in `state:`; the server's must be one for this host. Where nobody else could answer in its place, write sslmode=no-verify, or set PGSSLMODE to that.",
  );
}

/** Whether an error says that a table or its schema does not exist. */
export function isWithoutTables(error: unknown): boolean {
  const { code } = Object(error instanceof StateError && error.cause) as { readonly code?: unknown };
  return code === "42P01" || code === "3F000";
}
