import { createHash } from "node:crypto";
import { access, constants } from "node:fs/promises";
import { Socket } from "node:net";
import path from "node:path";
import { withPackage } from "../../peers/index.js";
import { StateError } from "../state-error.js";
import type { StoreEnvironment } from "../state-store.js";
import { reasonOf, refused, unreachable, wrongLocation } from "./trouble.js";
import { settingsIn } from "./url-settings.js";

/** Where a state is in a database. */
export interface PostgresPlace {
  /** Without credentials. */
  readonly location: string;
  /** Quoted. */
  readonly schema: string;
  readonly name: string;
  /** The advisory lock of this state: a number that no other program is likely to use. */
  readonly lock: bigint;
}

export type Row = Readonly<Record<string, unknown>>;

/** A session of the server. */
export interface Connection {
  /** The process that serves the session, as told at its begin: that of a pooler is another one than executes statements. */
  readonly process: number | undefined;
  /** @throws StateError `unreachable`: then it is not known whether the statement was executed; `refused`. */
  rows(statement: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** Ends the session, and all its locks. Never fails. */
  end(): Promise<void>;
}

export type Connect = () => Promise<Connection>;

const files = ["sslrootcert", "sslcert", "sslkey"] as const;
const settings = ["schema", "name", "host", "sslmode", ...files] as const;

/** The password comes from PGPASSWORD or `~/.pgpass`, as with all clients of PostgreSQL. */
export async function openPostgres(
  url: URL,
  { root = "", environment: { PGPASSWORD, PGUSER } = {} }: Pick<StoreEnvironment, "root" | "environment">,
): Promise<{ place: PostgresPlace; connect: Connect }> {
  const { Client } = (await withPackage("pg", "State in PostgreSQL", () => import("pg"))).default;
  const place = placeOf(url);
  const connection = new URL(url);
  for (const name of ["schema", "name"]) connection.searchParams.delete(name);
  for (const name of files) {
    const given = connection.searchParams.get(name);
    if (given !== null) connection.searchParams.set(name, await readable(place.location, name, root, given));
  }
  if (PGPASSWORD) connection.password = encodeURIComponent(PGPASSWORD);
  if (PGUSER && !connection.username) connection.username = encodeURIComponent(PGUSER);
  const connect = async (): Promise<Connection> => {
    const socket = new Socket();
    const client = new Client({
      connectionString: connection.href,
      stream: () => socket,
      application_name: "avatarops",
      connectionTimeoutMillis: 10_000,
      query_timeout: 60_000,
      keepAlive: true,
    });
    /** Of a connection that broke between two statements; the next statement does not say why. */
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
      throw troubleOf(place.location, error);
    }
    // Not in the types of the package.
    const { processID } = client as typeof client & { readonly processID?: number | null };
    return {
      process: processID ?? undefined,
      async rows(statement, values = []) {
        try {
          const answer = await client.query<Row>(statement, values.length === 0 ? undefined : [...values]);
          return answer.rows;
        } catch (error) {
          throw troubleOf(place.location, broken ?? error);
        }
      },
      end,
    };
  };
  return { place, connect };
}

/** The path of a file that the URL names, relative to the project folder. */
async function readable(location: string, name: string, root: string, given: string): Promise<string> {
  const file = path.resolve(root, given);
  try {
    await access(file, constants.R_OK);
  } catch (error) {
    const why = `the file of ${name} cannot be read: ${reasonOf(error)}`;
    throw refused(
      location,
      why,
      "Correct its path in `state:`; it is relative to the project folder.",
      error,
    );
  }
  return file;
}

function placeOf(url: URL): PostgresPlace {
  const location = `postgres://${url.host}${url.pathname}`;
  const { schema = "avatarops", name = "default" } = settingsIn(url, location, settings);
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    throw wrongLocation(location, "has a schema that is not a name: use small letters, digits and _.");
  }
  if (url.pathname.length < 2) {
    throw wrongLocation(
      location,
      "does not name a database: write postgres://HOST/DATABASE?name=production.",
    );
  }
  const lock = createHash("sha256").update(`avatarops ${schema} ${name}`).digest().readBigInt64BE();
  return {
    location: `${location}?schema=${schema}&name=${encodeURIComponent(name)}`,
    schema: `"${schema}"`,
    name,
    lock,
  };
}

/** SQLSTATEs of a server that does not let us in or do it, and what to do. */
const refusals: Readonly<Record<string, string>> = {
  "28P01": "Set PGPASSWORD in the environment, or add the password to ~/.pgpass.",
  "28000": "Check the user in `state:`, and what pg_hba.conf of the server allows.",
  "3D000": "Create the database, or correct `state:` in the manifest.",
  "42501": "Let the user create the schema once, or read and write the tables in it.",
  "25006": "Name the primary server in `state:`: this one is read-only.",
};

function troubleOf(location: string, error: unknown): StateError {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const said = reasonOf(error);
  const advice = refusals[code];
  if (advice !== undefined) return refused(location, said, advice, error);
  if (/CERT|ISSUER|SIGNATURE|^ERR_TLS/.test(code)) {
    const advice =
      "Name the certificate of the authority that signed the server's with `sslrootcert=FILE` in `state:`; for sslmode=verify-full it must be one for this host.";
    return refused(location, said, advice, error);
  }
  // Of the classes of SQLSTATE these are about the connection, resources, or an operator's intervention.
  if (/^(?!08|53|57|58)[0-9A-Z]{2}[0-9A-Z]{3}$/.test(code)) {
    return refused(
      location,
      `the server answers: ${said} (${code})`,
      "Check that the tables in the schema are those that avatarops made; docs/team.md describes them.",
      error,
    );
  }
  return unreachable(location, said, error);
}

/** Whether an error says that a table or its schema does not exist. */
export function isWithoutTables(error: unknown): boolean {
  return ["42P01", "3F000"].includes(stateIn(error));
}

/** Whether somebody ended the session on purpose, and with it our lock. */
export function isEnded(error: unknown): boolean {
  return stateIn(error) === "57P01";
}

/** The SQLSTATE behind an error; "" if there is none. */
function stateIn(error: unknown): string {
  const cause = error instanceof StateError ? error.cause : undefined;
  return cause instanceof Error && "code" in cause ? String(cause.code) : "";
}
