/**
 * Returns the scheme of a location that is a URL, such as `s3`; undefined if it is a path. One letter is a drive of
 * Windows. Earlier versions read `package:NAME`, which must not become the name of a file.
 */
export function readScheme(location: string): string | undefined {
  return /^(package(?=:)|[a-z][a-z0-9+.-]+(?=:\/\/))/i.exec(location)?.[1]?.toLowerCase();
}

/** Where the credentials of a store belong, by the scheme of its URL. */
const places: Readonly<Record<string, string>> = {
  http: "set TF_HTTP_USERNAME and TF_HTTP_PASSWORD in the environment",
  https: "set TF_HTTP_USERNAME and TF_HTTP_PASSWORD in the environment",
  s3: "set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, in the environment",
  postgres: "set PGPASSWORD in the environment, or use ~/.pgpass",
  postgresql: "set PGPASSWORD in the environment, or use ~/.pgpass",
};

/** If a URL has credentials in it: where they belong. To PostgreSQL a name is no secret; elsewhere it may be a token. */
export function misplacedCredentials(location: string): string | undefined {
  const scheme = readScheme(location);
  if (scheme === undefined || !URL.canParse(location)) return undefined;
  const { username, password, searchParams } = new URL(location);
  const isName = scheme.startsWith("postgres") && password === "";
  const isSecret = [...searchParams.keys()].some((key) =>
    /pass|secret|token|access_?key|credential/i.test(key),
  );
  if (((username === "" && password === "") || isName) && !isSecret) return undefined;
  return places[scheme] ?? "take them out of it";
}
