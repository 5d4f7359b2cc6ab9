import { access, constants, realpath } from "node:fs/promises";
import { Socket } from "node:net";
import path from "node:path";
import { isInside } from "../../../base/files/index.js";
import { isLoopback } from "../../../base/http/index.js";
import { withPackage } from "../../../base/optional-packages/index.js";
import { StateError } from "../state-error.js";
import type { StoreEnvironment } from "../store-backend.js";
import { assertHostAllowed, createRefusedError, describeReason, toConnectionError } from "./errors.js";
import { type PostgresAddress, parsePostgresAddress } from "./postgres-address.js";

export type PostgresRow = Readonly<Record<string, unknown>>;

export interface Connection {
  /** Id of the server process, as announced to the client. A pooler announces a different id. */
  readonly processId: number | undefined;
  /** Executes a statement. @throws StateError `unreachable` if the statement may have been executed, or `refused`. */
  queryRows(
    statement: string,
    values: readonly unknown[],
    timeoutMs: number,
  ): Promise<readonly PostgresRow[]>;
  /** Closes the connection. Never fails. */
  end(): Promise<void>;
}

const files = ["sslrootcert", "sslcert", "sslkey"] as const;

/**
 * Prepares connections. The password comes from PGPASSWORD or `~/.pgpass`, as in all PostgreSQL clients. By default, it
 * is sent only over TLS to a verified server.
 */
export async function openPostgres(
  url: URL,
  store: Pick<StoreEnvironment, "root" | "environment" | "hosts" | "isOfBase" | "allowCode">,
): Promise<{ address: PostgresAddress; connect: (timeoutMs: number) => Promise<Connection> }> {
  const { PGPASSWORD, PGUSER, ...environment } = store.environment ?? {};
  const address = parsePostgresAddress(url);
  const connection = new URL(url);
  for (const name of ["schema", "name"]) connection.searchParams.delete(name);
  for (const [name, value] of Object.entries(readSecurity(url, address, { ...store, environment })))
    connection.searchParams.set(name, value);
  for (const name of files) {
    const file = await findFile(name, connection, address, { ...store, environment });
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
    /**
     * Error that broke the connection between two statements. Kept, because the error of the next statement does not
     * contain the reason.
     */
    let broken: Error | undefined;
    client.on("error", (error) => {
      broken ??= error;
    });
    const end = async () => {
      // A server that has stopped responding does not confirm the end of the connection either.
      const timer = setTimeout(() => socket.destroy(), 2_000);
      await client.end().catch(() => undefined);
      clearTimeout(timer);
    };
    try {
      await client.connect();
    } catch (error) {
      await end();
      throw toPostgresError(address.location, error);
    }
    // The package's types lack this field.
    const { processID } = client as typeof client & { readonly processID?: number | null };
    return {
      processId: processID ?? undefined,
      async queryRows(statement, values, timeoutMs) {
        const given = values.length > 0 && { values: [...values] };
        const query = { text: statement, query_timeout: timeoutMs, ...given };
        try {
          const response = await client.query<PostgresRow>(query);
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

/** Reads the host, and whether its connection must use TLS. */
function readSecurity(
  url: URL,
  { location, host: written, sslmode }: PostgresAddress,
  { environment: { PGHOST, PGSSLMODE } = {}, ...store }: Pick<StoreEnvironment, "environment" | "hosts">,
): Readonly<Record<string, string>> {
  const host = (written || PGHOST || "localhost").replace(/^\[(.+)\]$/, "$1");
  if (host.startsWith("/")) return { host };
  if (written) assertHostAllowed(location, `postgres://${written}${url.port && `:${url.port}`}`, store);
  const isWeak = sslmode === "disable" || sslmode === "no-verify";
  if (isLoopback(host) || host === "::1")
    return sslmode || PGSSLMODE ? { host, sslmode: sslmode ?? PGSSLMODE ?? "" } : { host };
  if (store.hosts && isWeak && sslmode !== PGSSLMODE)
    throw createRefusedError(
      location,
      `sslmode=${sslmode} would send the password to an unverified server`,
      "Remove `sslmode` from `state:`, or set PGSSLMODE in the environment to the same value.",
    );
  return { host, sslmode: sslmode ?? PGSSLMODE ?? "verify-full" };
}

/** Finds a file. The URL may name only project files, but a variable such as `PGSSLROOTCERT` may name any file. */
async function findFile(
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
      throw new Error("it differs from the target branch");
    await access(file, constants.R_OK);
    return file;
  } catch (error) {
    throw createRefusedError(
      location,
      `the ${name} file cannot be read: ${describeReason(error)}`,
      `Correct the path in \`state:\` (relative to the project folder and inside it), or set the path in ${variable}.`,
      error,
    );
  }
}

function toPostgresError(location: string, error: unknown): StateError {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const reason = describeReason(error);
  // The package sets no code for this error and the next, only a message.
  if (/does not support SSL/.test(reason)) {
    const advice =
      "The password is sent only over TLS. Enable TLS on the server (`ssl = on`). On a trusted network, add sslmode=disable to `state:`, or set PGSSLMODE=disable.";
    return createRefusedError(location, reason, advice, error);
  }
  const isMissing = /client password must be/.test(reason);
  // The excluded SQLSTATE classes concern the connection, server resources, or an operator's intervention.
  if (isMissing || /^(?!08|53|57|58)[0-9A-Z]{2}[0-9A-Z]{3}$/.test(code)) {
    const cause = isMissing ? "the server requires a password" : `${reason} (${code})`;
    const advice =
      "Check the database and user in `state:`, the user's permissions in the schema, and the password (PGPASSWORD, or ~/.pgpass).";
    return createRefusedError(location, cause, advice, error);
  }
  return toConnectionError(
    location,
    error,
    "Set the CA certificate with `sslrootcert=FILE` in `state:`. The server certificate must be for this host. On a trusted network, add sslmode=no-verify, or set PGSSLMODE=no-verify.",
  );
}

/** Returns whether an error reports a missing table or schema. */
export function isMissingTables(error: unknown): boolean {
  const { code } = Object(error instanceof StateError && error.cause) as { readonly code?: unknown };
  return code === "42P01" || code === "3F000";
}
