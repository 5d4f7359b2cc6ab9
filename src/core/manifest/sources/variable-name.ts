/** Whether a text is the name of an environment variable and does not look like a pasted key. */
export function namesVariable(value: unknown): value is string {
  if (typeof value !== "string") return false;
  // Names consist of words; keys have long runs of mixed letters and digits: sk_51HqLyjWDarjtT1zdp7dc.
  const looksPasted = value
    .split("_")
    .some((part) => part.length >= 16 && /\d/.test(part) && /[A-Za-z]/.test(part));
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(value) && !looksPasted;
}

/** How the keys and tokens of well-known services start: those of vaults, clouds, code hosts and models. */
const keyBeginnings =
  /^(hv[sbr]\.|s\.[A-Za-z0-9]{24}|dp\.(st|ct|pt|sa|scim|audit)\.|ops_ey|eyJ[\w-]+\.|AKIA[A-Z0-9]{16}|ASIA[A-Z0-9]{16}|gh[pousr]_|github_pat_|glpat-|sk[-_](live|test|proj|ant)|xox[abpr]-|AIza[\w-]{30}|AGE-SECRET-KEY-|-----BEGIN )/;

/** Whether a text is a key or a token that was pasted where a name belongs. */
export function looksLikeKey(text: string): boolean {
  return keyBeginnings.test(text.trim());
}

/** Whether a key of `extra` names a value that lets somebody in: `livekit_client_token`, `api_key`; not `secret_id`. */
export function isNamedLikeSecret(key: string, text: string): boolean {
  return text !== "" && /(?:^|_)(?:token|secret|password|api_?key)$/i.test(key);
}
