/** Returns whether a string is the full id of a commit or another git object (SHA-1 or SHA-256). */
export function isCommitId(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
}

/**
 * Returns whether a string is a valid ref name or part of one, by the rules of `git check-ref-format`. Options, ranges
 * and patterns are never valid.
 */
export function isRefName(text: string): boolean {
  return (
    text.length <= 200 &&
    text !== "@" &&
    !/[\p{Cc} ~^:?*[\\]|\.\.|@\{|\/\/|^[-/]|[/.]$/u.test(text) &&
    text.split("/").every((part) => part !== "" && !part.startsWith(".") && !part.endsWith(".lock"))
  );
}

/** Returns a remote's URL without user, password and query, for messages. */
export function showUrl(url: string): string {
  const [plain = ""] = sanitizeText(url).split(/[?#]/);
  return plain;
}

/**
 * Removes control characters and URL credentials, for messages. Code hosts put the job's token into the remote's URL.
 */
export function sanitizeText(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}]+/gu, " ")
    .split(/([\s'"])/)
    .map(removeCredentials)
    .join("");
}

/** Removes the parts of a URL before its `@` and after its `?`. */
function removeCredentials(word: string): string {
  const scheme = word.indexOf("://");
  if (scheme === -1) return word;
  // An invalid URL does not show where its password ends, so all of it is hidden.
  // The lookbehind tries each run of scheme characters only once, which takes linear time.
  const [, address = ""] = /(?<![a-z\d+.-])[\d+.-]*([a-z][a-z\d+.-]*:\/\/.*)/i.exec(word) ?? [];
  if (word.includes("@") && !URL.canParse(address)) return `${word.slice(0, scheme)}://…`;
  const [before = "", query] = word.slice(scheme + 3).split("?");
  const [host = "", ...path] = before.split("/");
  const bare = [host.slice(host.lastIndexOf("@") + 1), ...path].join("/");
  return `${word.slice(0, scheme)}://${bare}${query === undefined ? "" : "?…"}`;
}
