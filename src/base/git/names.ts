/** Whether a text is a full id of a commit or another object (SHA-1 or SHA-256). */
export function isCommitId(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
}

/**
 * Whether a text can be the name of a ref or of a part of one, by the rules of `git check-ref-format`: never an
 * option, a range or a pattern.
 */
export function isRefName(text: string): boolean {
  return (
    text.length <= 200 &&
    text !== "@" &&
    !/[\p{Cc} ~^:?*[\\]|\.\.|@\{|\/\/|^[-/]|[/.]$/u.test(text) &&
    text.split("/").every((part) => part !== "" && !part.startsWith(".") && !part.endsWith(".lock"))
  );
}

/** The address of a remote without user, password and query, for messages. */
export function plainUrl(url: string): string {
  const [plain = ""] = plainText(url).split(/[?#]/);
  return plain;
}

/**
 * A text for messages: without control characters, without the credentials of addresses. Hosts of code put the
 * token of a job into the address of its remote.
 */
export function plainText(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}]+/gu, " ")
    .split(/([\s'"])/)
    .map(withoutCredentials)
    .join("");
}

/** A word without what stands before the `@` of an address, or after its `?`. */
function withoutCredentials(word: string): string {
  const scheme = word.indexOf("://");
  if (scheme === -1) return word;
  // Where its password begins and ends cannot be known.
  const [address = ""] = /[a-z][a-z\d+.-]*:\/\/.*/i.exec(word) ?? [];
  if (word.includes("@") && !URL.canParse(address)) return `${word.slice(0, scheme)}://…`;
  const [before = "", query] = word.slice(scheme + 3).split("?");
  const [host = "", ...path] = before.split("/");
  const bare = [host.slice(host.lastIndexOf("@") + 1), ...path].join("/");
  return `${word.slice(0, scheme)}://${bare}${query === undefined ? "" : "?…"}`;
}
