import type { NoticeDocument } from "../documents/index.js";
import { visible } from "./visible.js";

/*
 * A notice as a message for the incoming webhooks of a chat. Names and messages in it may come from the service, or from
 * whoever names a branch: they must mention nobody, link nothing and format nothing. So Slack gets them as plain text,
 * with & < > escaped, and Teams as text runs, which have no Markdown.
 */

/** A message for an incoming webhook of Slack. */
export function renderSlackNotice(notice: NoticeDocument): string {
  const { title, where, lines, link } = collectLines(notice);
  const plain = (text: string) => ({ type: "plain_text", text, emoji: false });
  const told = [slackText(where), ...(link ? [`<${slackText(link)}|run>`] : [])].join(" · ");
  return JSON.stringify({
    text: fitting([slackText(title)], 3_000),
    blocks: [
      { type: "header", text: plain(fitting([slackText(title)], 150)) },
      ...(lines.length > 0 ? [{ type: "section", text: plain(fitting(lines.map(slackText), 3_000)) }] : []),
      // `verbatim`: Slack looks for no addresses, channels or people in it.
      { type: "section", text: { type: "mrkdwn", text: fitting([told], 2_000), verbatim: true } },
    ],
    unfurl_links: false,
    unfurl_media: false,
  });
}

/** A message for a workflow of Teams that posts "when a webhook request is received": one Adaptive Card. */
export function renderTeamsNotice(notice: NoticeDocument): string {
  const { title, where, lines, link } = collectLines(notice);
  const line = (text: string, style: object = {}) => ({
    type: "RichTextBlock",
    inlines: [{ type: "TextRun", text: teamsText(text), ...style }],
  });
  const content = {
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    type: "AdaptiveCard",
    version: "1.2",
    msteams: { width: "Full" },
    body: [
      line(title, { weight: "Bolder", size: "Medium" }),
      // Teams takes 28 KB; a UTF-16 code unit has up to 3 bytes, and a line some 80 more.
      ...fitting(lines.map(teamsText), 5_000)
        .split("\n")
        .filter((text) => text !== "")
        .map((text) => line(text)),
      line(where, { isSubtle: true }),
    ],
    ...(link ? { actions: [{ type: "Action.OpenUrl", title: "Run", url: link }] } : {}),
  };
  const contentType = "application/vnd.microsoft.card.adaptive";
  return JSON.stringify({ type: "message", attachments: [{ contentType, contentUrl: null, content }] });
}

/** What a message says. */
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
    link: run && webAddress(run),
  };
}

/** Slack's three control characters as it wants them. */
function slackText(text: string): string {
  return visible(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

/** Without the functions of Adaptive Cards, `{{DATE(…)}}`. */
function teamsText(text: string): string {
  return visible(text).replaceAll("{{", "{ {");
}

/** As many whole lines as fit; a longer one is cut, but in no entity. In UTF-16 code units. */
function fitting(lines: readonly string[], limit: number): string {
  const text = lines.join("\n");
  if (text.length <= limit) return text;
  const cut = text.slice(0, limit - 2).replace(/&[a-z]{0,4}$|[\uD800-\uDBFF]$/, "");
  const end = cut.lastIndexOf("\n");
  return `${end > 0 ? cut.slice(0, end + 1) : cut}…`;
}

/** An address of the web, in which nothing ends a link of Slack. */
function webAddress(text: string): string | undefined {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text).href.replaceAll("|", "%7C");
}
