import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import GithubSlugger from "github-slugger";
import { lexer, type Token, walkTokens } from "marked";
import ownPackage from "../../package.json" with { type: "json" };

/** URL of this repository on its code host. */
export const repository = ownPackage.repository.url.replace(/^git\+|\.git$/g, "");

/** Returns link and image targets. An undefined reference is its own target, in brackets. */
export function listLinks(text: string): string[] {
  return listTokens(text).flatMap((token) => {
    if (token.type === "link" || token.type === "image") return [token.href as string];
    if (token.type === "html") return listValues(token.raw, "href|src|srcset");
    if (token.type !== "text" || token.tokens) return [];
    return Array.from(token.raw.matchAll(/\[[^\]]+\]/g), ([reference]) => reference);
  });
}

/** Returns a page's anchors, from GitHub's heading names and HTML ids. */
export function listAnchors(text: string): string[] {
  const slugger = new GithubSlugger();
  return listTokens(text).flatMap((token) => {
    if (token.type === "heading") return [slugger.slug(formatPlainText(token.tokens ?? []))];
    return token.type === "html" ? listValues(token.raw, "id|name") : [];
  });
}

/**
 * Whether a link, by path or URL, points to an existing file or folder of the repository, and to an existing anchor.
 * Other URLs are not checked.
 */
export function resolvesLink(file: string, target: string): boolean {
  const [address = "", anchor] = target.split("#");
  const [, form, ours] = /^\/(blob|tree|raw)\/HEAD\/(.*)$/.exec(readAddress(address)) ?? [];
  if (!form && /^[a-z][a-z+.-]*:/i.test(address)) return !address.startsWith(`${repository}/blob`);
  const to = form ? ours : address === "" ? file : path.posix.join(path.posix.dirname(file), address);
  const found = statSync(to ?? "", { throwIfNoEntry: false });
  if (!found || (form && found.isDirectory() !== (form === "tree"))) return false;
  return (
    anchor === undefined || (found.isFile() && listAnchors(readFileSync(to ?? "", "utf8")).includes(anchor))
  );
}

function readAddress(address: string): string {
  return address.startsWith(repository) ? address.slice(repository.length) : "";
}

/** Returns all tokens, outer before inner. Omits front matter, which is not Markdown. */
function listTokens(text: string): Token[] {
  const all: Token[] = [];
  walkTokens(lexer(text.replace(/^---\n.*?\n---\n/s, "")), (token) => {
    all.push(token);
  });
  return all;
}

function formatPlainText(tokens: readonly Token[]): string {
  return tokens
    .map((token) =>
      "tokens" in token && token.tokens ? formatPlainText(token.tokens) : (token as { text: string }).text,
    )
    .join("");
}

function listValues(html: string, names: string): string[] {
  return Array.from(html.matchAll(new RegExp(`\\b(?:${names})="([^"]*)"`, "g")), ([, value = ""]) => value);
}
