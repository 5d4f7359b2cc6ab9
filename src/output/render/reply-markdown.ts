import { renderMarkdown, type ShownDocument } from "./document.js";
import { code, link, type Markdown, md, sentence, trusted } from "./markdown.js";

/** What is replied to. */
export interface ReplyHeader {
  /** The comment, of which the first line is shown. Untrusted. */
  readonly command: string;
  readonly runUrl?: string | undefined;
}

/** A document, a text that is Markdown already, or a sentence why the command was refused. */
export type ReplyContent =
  | { readonly document: ShownDocument }
  | { readonly markdown: string }
  | { readonly refusal: string };

/** The reply to a command in a comment on a pull request. */
export function renderReplyMarkdown({ command, runUrl }: ReplyHeader, content: ReplyContent): string {
  const shown = command.split("\n")[0]?.trim().slice(0, 200) ?? "";
  const run = runUrl === undefined ? md`` : md` · ${link(md`run`, runUrl)}`;
  return md`${code(shown)}${run}

${contentMarkdown(content)}
`;
}

function contentMarkdown(content: ReplyContent): Markdown {
  if ("refusal" in content) return md`**Refused.** ${sentence(content.refusal)}`;
  return trusted("document" in content ? renderMarkdown(content.document) : content.markdown);
}
