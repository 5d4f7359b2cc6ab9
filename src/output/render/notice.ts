import type { NoticeDocument } from "../documents/index.js";
import { visible } from "./visible.js";

/*
 * A notice as a message for the incoming webhooks of a chat. Names and messages in it may come from the service, or from
 * whoever names a branch: they must mention nobody, link nothing and format nothing. So Slack gets them as plain text or
 * as code, with & < > escaped, and Teams as text runs, which have no Markdown.
 */

/** A message for an incoming webhook of Slack. */
export function renderSlackNotice(notice: NoticeDocument): string {
  const { title, run } = notice.data;
  const { where, objects, problems } = collectLines(notice);
  const link = run && webAddress(run);
  const plain = (text: string) => ({ type: "plain_text", text, emoji: false });
  // `verbatim`: Slack looks for no addresses, channels or people in it.
  const marked = (text: string) => ({ type: "mrkdwn", text, verbatim: true });
  const named = objects.map(
    ({ address, what }) => `\`${slackText(address).replaceAll("`", "'")}\` ${slackText(what)}`,
  );
  const told = [slackText(where), ...(link ? [`<${slackText(link)}|run>`] : [])].join(" · ");
  return JSON.stringify({
    text: fitting([slackText(title)], 3_000),
    blocks: [
      { type: "header", text: plain(fitting([slackText(title)], 150)) },
      ...(named.length > 0 ? [{ type: "section", text: marked(fitting(named, 3_000)) }] : []),
      ...(problems.length > 0
        ? [{ type: "section", text: plain(fitting(problems.map(slackText), 3_000)) }]
        : []),
      { type: "section", text: marked(fitting([told], 2_000)) },
    ],
    unfurl_links: false,
    unfurl_media: false,
  });
}

/** A message for a workflow of Teams that posts "when a webhook request is received": one Adaptive Card. */
export function renderTeamsNotice(notice: NoticeDocument): string {
  const { title, run } = notice.data;
  const { where, objects, problems } = collectLines(notice);
  const link = run && webAddress(run);
  const line = (text: string, style: object = {}) => ({
    type: "RichTextBlock",
    inlines: [{ type: "TextRun", text: teamsText(text), ...style }],
  });
  const lines = [...objects.map(({ address, what }) => `${address}: ${what}`), ...problems];
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

/** What a message says below its title. */
function collectLines({ data }: NoticeDocument) {
  const { project, environment, command, user, commit, objects, problems, more_objects: more } = data;
  const facts = [project, environment, `avatarops ${command}`, user, commit?.slice(0, 12)];
  const reasons = objects.flatMap(({ address, problem }) => (problem ? [`${address}: ${problem}`] : []));
  return {
    where: facts.filter((fact) => fact !== undefined).join(" · "),
    objects: [...objects, ...(more > 0 ? [{ address: "…", what: `and ${more} more` }] : [])],
    problems: [...problems.map(({ message }) => message), ...reasons],
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
