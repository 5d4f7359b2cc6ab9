import { createLocationError, decodeUrlPart, readUrlSettings } from "./errors.js";

/** State location in a database. */
export type PostgresAddress = ReturnType<typeof parsePostgresAddress>;

const settings = {
  schema: [(value: string) => /^[a-z_][a-z0-9_]{0,62}$/.test(value), "avatarops_2"],
  ...{ name: null, host: null, sslmode: null, sslrootcert: null, sslcert: null, sslkey: null },
} as const;

/**
 * Parses a database state URL.
 *
 * @throws StateError `unknown-store`
 */
export function parsePostgresAddress(url: URL) {
  const given = `postgres://${url.host}${url.pathname}`;
  const { schema = "avatarops", name = "default", host, sslmode } = readUrlSettings(url, given, settings);
  if (url.pathname.length < 2) {
    throw createLocationError(
      given,
      "has no database name. Example: postgres://HOST/DATABASE?name=production.",
    );
  }
  return {
    /** URL without credentials. */
    location: `${given}?schema=${schema}&name=${encodeURIComponent(name)}`,
    /** Schema name, quoted for SQL. */
    schema: `"${schema}"`,
    name,
    /** Host, if the URL names one. */
    host: host || decodeUrlPart(url.hostname, given),
    sslmode,
  };
}
