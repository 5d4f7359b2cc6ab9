/**
 * Returns a URL's scheme, such as `s3`, or undefined for a path, including one with a Windows drive letter. Treats
 * `package:` as a scheme, so that it never becomes a file name. Returns "" for a mistyped URL that may contain a
 * password, such as `//user:password@host`.
 */
export function readScheme(location: string): string | undefined {
  if (isMistypedUrl(location)) return "";
  return /^(package(?=:)|[a-z][a-z0-9+.-]+(?=:\/\/))/i.exec(location)?.[1]?.toLowerCase();
}

function isMistypedUrl(location: string): boolean {
  const text = location.trimStart();
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(text)) return text !== location;
  if (text.startsWith("//")) return true;
  // An absolute path may lead through a folder such as `/srv/10:30/a@b`, so only its first name is checked.
  const [drive] = /^(?:\/?[a-z]:)?[\\/]+/i.exec(text) ?? [];
  if (drive === undefined) return /^[^@:]*:[^@]*@/.test(text);
  const path = text.slice(drive.length);
  const scheme = path.indexOf("://");
  return /^[^@:\\/]*:[^@]*@/.test(path) || (scheme !== -1 && path.includes("@", scheme));
}

/** Advice on where to set a store's credentials, by URL scheme. */
const credentialAdvice: Readonly<Record<string, string>> = {
  http: "set the environment variables TF_HTTP_USERNAME and TF_HTTP_PASSWORD",
  https: "set the environment variables TF_HTTP_USERNAME and TF_HTTP_PASSWORD",
  s3: "set the environment variable AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
  postgres: "set the environment variable PGPASSWORD, or use ~/.pgpass",
  postgresql: "set the environment variable PGPASSWORD, or use ~/.pgpass",
};

/** Problem with a store's URL, and how to fix it. Neither string contains the URL. */
export interface UrlProblem {
  readonly code: "invalid-url" | "credentials-in-url";
  /** Clause that follows "the state URL". */
  readonly problem: string;
  readonly advice: string;
}

/**
 * Checks a store's URL for credentials. An invalid URL may contain a password, and so may a path with an `@` after a
 * port. A user name counts as a credential because it may be a token, except in PostgreSQL.
 */
export function findUrlProblem(location: string): UrlProblem | undefined {
  const scheme = readScheme(location);
  if (scheme === undefined) return undefined;
  if (scheme === "" || !URL.canParse(location))
    return {
      code: "invalid-url",
      problem: "is not a valid URL, and is not shown because it may contain a password",
      advice: credentialAdvice[scheme] ?? "correct the URL, and set credentials in environment variables",
    };
  const { username, password, port, pathname, searchParams } = new URL(location);
  const isName = scheme.startsWith("postgres") && password === "";
  const isSecret = [...searchParams.keys()].some((key) =>
    /pass|secret|token|(?:access|api)[_-]?key|credential|signature|^sig$/i.test(key),
  );
  const mayBeCutPassword = port !== "" && pathname.includes("@");
  const isInSetting = [...searchParams].some(
    ([key, value]) =>
      /:\/\/(?:(?!:\/\/).)*@/.test(value) ||
      (/^(?:host|endpoint)$/.test(key) && /^[^@:/]*:[^@]*@/.test(value)),
  );
  if (((username === "" && password === "") || isName) && !isSecret && !mayBeCutPassword && !isInSetting)
    return undefined;
  return {
    code: "credentials-in-url",
    problem: "contains credentials",
    advice: credentialAdvice[scheme] ?? "remove the credentials",
  };
}

/** Returns only a URL's scheme, because the rest may contain a password. */
export function hideUrl(location: string): string {
  return `${readScheme(location) || "(unknown scheme)"}://…`;
}
