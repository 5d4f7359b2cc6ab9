import { domainToASCII } from "node:url";
import { type DeclaredText, listTexts, type Rule, type Violation } from "../rule.js";

export const allowedLinkHosts: Rule<"allowed-link-hosts"> = (declaration, { hosts }) => {
  const allowed = hosts.map(parsePattern);
  return listTexts(declaration).flatMap((text) =>
    linksIn(text).flatMap(({ url, start, end }): Violation[] => {
      if (allowed.some((pattern) => matches(url, pattern))) return [];
      const message = `leads to ${url.host}, which is not allowed`;
      const hint = `the allowed hosts are ${hosts.join(", ")}`;
      return [{ path: text.path, message, hint, part: { start, end } }];
    }),
  );
};

interface HostPattern {
  /** In ASCII (punycode). */
  readonly host: string;
  /** Matches subdomains of `host`, but not `host` itself. */
  readonly isBelow: boolean;
  /** `*` matches any port. Absent: the scheme's default. */
  readonly port?: string;
}

function parsePattern(written: string): HostPattern {
  const [, name = written, port] = /^(.*):(\d+|\*)$/.exec(written.trim()) ?? [];
  const isBelow = name.startsWith("*.");
  const host = name.trim().slice(isBelow ? 2 : 0);
  // An IPv6 address has no subdomains.
  const ascii = host.startsWith("[") ? host.toLowerCase() : domainToASCII(host);
  return { host: withoutDot(ascii), isBelow, port };
}

function matches(url: URL, { host, isBelow, port = "" }: HostPattern): boolean {
  const name = withoutDot(url.hostname);
  const isThere = isBelow ? name.endsWith(`.${host}`) : name === host;
  // `URL` omits the scheme's default port.
  const written = port === (url.protocol === "https:" ? "443" : "80") ? "" : port;
  return host !== "" && isThere && (port === "*" || url.port === written);
}

function withoutDot(host: string): string {
  return host.endsWith(".") ? host.slice(0, -1) : host;
}

/** Finds the URLs of a text: the whole value of a URL field, otherwise those within it. */
function linksIn({ text, format }: DeclaredText): { url: URL; start: number; end: number }[] {
  if (format === "url") return linkAt(text, 0);
  return Array.from(text.matchAll(/https?:\/\/[^\s<>"'`()[\]{}]+/gi)).flatMap(({ index, 0: link }) =>
    // Trailing punctuation, emphasis and quotation marks belong to the sentence.
    linkAt(link.replace(/[.,;:!?…。，、；：！？*_~|»«›‹”“„’‘」』）】》]{1,20}$/u, ""), index),
  );
}

function linkAt(link: string, start: number): { url: URL; start: number; end: number }[] {
  return URL.canParse(link) ? [{ url: new URL(link), start, end: start + link.length }] : [];
}
