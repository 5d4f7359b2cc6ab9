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

/** What is wrong with the URL of a store, and what to do. Neither repeats it. */
export interface UrlProblem {
  readonly code: "invalid-url" | "credentials-in-url";
  /** Continues "the URL of the state". */
  readonly problem: string;
  readonly advice: string;
}

/**
 * Checks the URL of a store without showing it: one that cannot be parsed may contain a password, and so may a path with an
 * `@` after a port, which is a password with a `/` in it. To PostgreSQL a name is not a secret; elsewhere it may be a token.
 */
export function findUrlProblem(location: string): UrlProblem | undefined {
  const scheme = readScheme(location);
  if (scheme === undefined) return undefined;
  if (!URL.canParse(location))
    return {
      code: "invalid-url",
      problem: "is not a valid URL, and it is not shown because it may contain a password",
      advice: places[scheme] ?? "correct it, and set credentials in the environment",
    };
  const { username, password, port, pathname, searchParams } = new URL(location);
  const isName = scheme.startsWith("postgres") && password === "";
  const isSecret = [...searchParams.keys()].some((key) =>
    /pass|secret|token|access_?key|credential/i.test(key),
  );
  const isCut = port !== "" && pathname.includes("@");
  if (((username === "" && password === "") || isName) && !isSecret && !isCut) return undefined;
  return {
    code: "credentials-in-url",
    problem: "has credentials in it",
    advice: places[scheme] ?? "take them out of it",
  };
}

/** The scheme of a URL that may contain a password. */
export function hideUrl(location: string): string {
  return `${readScheme(location) ?? ""}://…`;
}
