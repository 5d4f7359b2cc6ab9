import type { NoticeDocument } from "../documents/index.js";
import { makeVisible } from "./visible.js";

/*
 * Renders notices as messages for the incoming webhook of a chat. Names and messages may come from the service or from
 * a branch name, so they must not create mentions, links or formatting. Slack gets plain text with & < > escaped. Teams
 * gets text runs, which do not support Markdown.
 */

/** Renders a message for an incoming Slack webhook. */
export function renderSlackNotice(notice: NoticeDocument): string {
  const { title, where, lines, link } = collectLines(notice);
  const createPlainText = (text: string) => ({ type: "plain_text", text, emoji: false });
  const context = [toSlackText(where), ...(link ? [`<${toSlackText(link)}|run>`] : [])].join(" · ");
  return JSON.stringify({
    text: fitLines([toSlackText(title)], 3_000),
    blocks: [
      { type: "header", text: createPlainText(fitLines([toSlackText(title)], 150)) },
      ...(lines.length > 0
        ? [{ type: "section", text: createPlainText(fitLines(lines.map(toSlackText), 3_000)) }]
        : []),
      // `verbatim` keeps Slack from linking URLs, channels and people.
      { type: "section", text: { type: "mrkdwn", text: fitLines([context], 2_000), verbatim: true } },
    ],
    unfurl_links: false,
    unfurl_media: false,
  });
}

/** Renders an Adaptive Card for a Teams workflow that posts "when a webhook request is received". */
export function renderTeamsNotice(notice: NoticeDocument): string {
  const { title, where, lines, link } = collectLines(notice);
  const createLine = (text: string, style: object = {}) => ({
    type: "RichTextBlock",
    inlines: [{ type: "TextRun", text: toTeamsText(text), ...style }],
  });
  const content = {
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    type: "AdaptiveCard",
    version: "1.2",
    msteams: { width: "Full" },
    body: [
      createLine(title, { weight: "Bolder", size: "Medium" }),
      // Teams accepts 28 KB. A UTF-16 code unit takes up to 3 bytes, and a line takes about 80 more.
      ...fitLines(lines.map(toTeamsText), 5_000)
        .split("\n")
        .filter((text) => text !== "")
        .map((text) => createLine(text)),
      createLine(where, { isSubtle: true }),
    ],
    ...(link ? { actions: [{ type: "Action.OpenUrl", title: "Run", url: link }] } : {}),
  };
  const contentType = "application/vnd.microsoft.card.adaptive";
  return JSON.stringify({ type: "message", attachments: [{ contentType, contentUrl: null, content }] });
}

function collectLines({ data }: NoticeDocument) {
  const {
    title,
    project,
    environment,
    command,
    user,
    commit,
    run,
    objects,
    problems,
    more_objects: more,
  } = data;
  const facts = [project, environment, `avatarops ${command}`, user, commit?.slice(0, 12)];
  return {
    title,
    where: facts.filter((fact) => fact !== undefined).join(" · "),
    lines: [
      ...objects.map(({ address, what }) => `${address}: ${what}`),
      ...(more > 0 ? [`… and ${more} more`] : []),
      ...problems.map(({ message }) => message),
      ...objects.flatMap(({ address, problem }) => (problem ? [`${address}: ${problem}`] : [])),
    ],
    link: run && toWebUrl(run),
  };
}

/** Escapes Slack's three control characters. */
function toSlackText(text: string): string {
  return makeVisible(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

/** Disables functions of Adaptive Cards, such as `{{DATE(…)}}`. */
function toTeamsText(text: string): string {
  return makeVisible(text).replaceAll("{{", "{ {");
}

/**
 * Returns as many whole lines as fit, in UTF-16 code units. Truncates a single long line, but never within an entity.
 */
function fitLines(lines: readonly string[], limit: number): string {
  const text = lines.join("\n");
  if (text.length <= limit) return text;
  const cut = text.slice(0, limit - 2).replace(/&[a-z]{0,4}$|[\uD800-\uDBFF]$/, "");
  const end = cut.lastIndexOf("\n");
  return `${end > 0 ? cut.slice(0, end + 1) : cut}…`;
}

/** Returns an HTTP URL without characters that end a Slack link, or undefined. */
function toWebUrl(text: string): string | undefined {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text).href.replaceAll("|", "%7C");
}
