/** Returns whether a string is the name of an environment variable and does not look like a pasted key. */
export function isVariableName(value: unknown): value is string {
  if (typeof value !== "string") return false;
  // Names consist of words, but keys have long runs of mixed letters and digits, such as sk_51HqLyjWDarjtT1zdp7dc.
  const looksPasted = value
    .split("_")
    .some((part) => part.length >= 16 && /\d/.test(part) && /[A-Za-z]/.test(part));
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(value) && !looksPasted;
}

/** Prefixes of keys and tokens from well-known vaults, clouds, code hosts and model providers. */
const keyPrefixes =
  /^(hv[sbr]\.|s\.[A-Za-z0-9]{24}|dp\.(st|ct|pt|sa|scim|audit)\.|ops_ey|eyJ[\w-]+\.|AKIA[A-Z0-9]{16}|ASIA[A-Z0-9]{16}|gh[pousr]_|github_pat_|glpat-|sk[-_](live|test|proj|ant)|xox[abpr]-|AIza[\w-]{30}|AGE-SECRET-KEY-|-----BEGIN )/;

/** Returns whether a string has the prefix of a key or a token. */
export function isLikelyKey(text: string): boolean {
  return keyPrefixes.test(text.trim());
}

/**
 * Returns whether a key in `extra` is named like a credential. Examples are `livekit_client_token` and `api_key`, but
 * not `secret_id`.
 */
export function isNamedLikeSecret(key: string, text: string): boolean {
  return text !== "" && /(?:^|_)(?:token|secret|password|api_?key)$/i.test(key);
}
