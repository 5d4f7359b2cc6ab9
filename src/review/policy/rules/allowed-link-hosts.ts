import { domainToASCII } from "node:url";
import { type DeclaredText, listTexts, type Rule, type Violation } from "../rule.js";

export const findForbiddenLinks: Rule<"allowed-link-hosts"> = (declaration, { hosts }) => {
  const allowed = hosts.map(parsePattern);
  return listTexts(declaration).flatMap((text) =>
    findLinks(text).flatMap(({ url, start, end }): Violation[] => {
      if (url && allowed.some((pattern) => matches(url, pattern))) return [];
      const message = url
        ? `links to ${url.host}, which is not allowed`
        : "links to a host with a placeholder, which cannot be checked";
      const hint = url
        ? `the allowed hosts are ${hosts.join(", ")}`
        : "write the host instead of a placeholder";
      return [{ path: text.path, message, hint, part: { start, end } }];
    }),
  );
};

interface HostPattern {
  /** Host name in ASCII (punycode). */
  readonly host: string;
  /** Whether to match subdomains of `host` instead of `host` itself. */
  readonly matchesSubdomains: boolean;
  /** Port, or `*` for any port. Default: the scheme's default port. */
  readonly port?: string;
}

function parsePattern(written: string): HostPattern {
  const [, name = written, port] = /^(.*):(\d+|\*)$/.exec(written.trim()) ?? [];
  const matchesSubdomains = name.startsWith("*.");
  const host = name.trim().slice(matchesSubdomains ? 2 : 0);
  // An IPv6 address in brackets is not a domain name.
  const ascii = host.startsWith("[") ? host.toLowerCase() : domainToASCII(host);
  return { host: trimDot(ascii), matchesSubdomains, port };
}

function matches(url: URL, { host, matchesSubdomains, port = "" }: HostPattern): boolean {
  const name = trimDot(url.hostname);
  const isHost = matchesSubdomains ? name.endsWith(`.${host}`) : name === host;
  // `URL` omits the scheme's default port.
  const urlPort = port === (url.protocol === "https:" ? "443" : "80") ? "" : port;
  return host !== "" && isHost && (port === "*" || url.port === urlPort);
}

function trimDot(host: string): string {
  return host.endsWith(".") ? host.slice(0, -1) : host;
}

interface Link {
  /** Undefined if the host contains a placeholder, which sessions fill in. */
  readonly url?: URL;
  readonly start: number;
  readonly end: number;
}

/** Matches a URL with its user, the address of an IPv6 host, and the rest with placeholders. */
const link = /https?:\/\/(?:[^\s<>"'`()[\]{}@]*@)?(?:\[[\da-f:.]+\])?(?:\$\{[^\s{}]*\}|[^\s<>"'`()[\]{}])*/gi;

/** Finds the URLs in text. The value of a URL field is one URL. */
function findLinks({ text, format }: DeclaredText): Link[] {
  if (format === "url") return parseLink(text, 0);
  return Array.from(text.matchAll(link)).flatMap(({ index, 0: written }) =>
    // Trailing punctuation, emphasis and quotation marks belong to the sentence.
    parseLink(written.replace(/[.,;:!?…。，、；：！？*_~|»«›‹”“„’‘」』）】》]{1,20}$/u, ""), index),
  );
}

function parseLink(written: string, start: number): Link[] {
  const part = { start, end: start + written.length };
  if (/^https?:\/\/[^/?#\\]*\$\{/i.test(written)) return [part];
  return URL.canParse(written) ? [{ ...part, url: new URL(written) }] : [];
}
