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
  return plainText(url).replace(/(:\/\/[^?#]*)[?#].*/, "$1");
}

/**
 * A text for messages: without control characters, without the credentials of addresses. Hosts of code put the
 * token of a job into the address of its remote.
 */
export function plainText(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}]+/gu, " ")
    .replace(/([a-z][a-z\d+.-]{0,30}:\/\/)[^\s/'"]{0,1000}@/gi, "$1")
    .replace(/([?&][\w-]{0,40}(?:token|key|password|secret|signature)=)[^\s&'"]+/gi, "$1…");
}
