import { renderMarkdown, type ShownDocument } from "./document.js";
import { code, link, md, sentence, trusted } from "./markdown.js";

/** What is answered. */
export interface ReplyHeader {
  /** The comment, of which the first line is shown. Untrusted. */
  readonly command: string;
  readonly runUrl?: string | undefined;
}

/** Absent: the command is still running. `markdown`: rendered already. `reason`: a sentence, why it was refused. */
export type ReplyContent =
  | { readonly document: ShownDocument }
  | { readonly markdown: string }
  | { readonly reason: string }
  | Record<string, never>;

/** The answer to a command in a comment on a pull request. */
export function renderReplyMarkdown({ command, runUrl }: ReplyHeader, content: ReplyContent): string {
  const shown = command.split("\n")[0]?.trim().slice(0, 200) ?? "";
  const run = runUrl === undefined ? md`` : md` · ${link(md`run`, runUrl)}`;
  const answer =
    "document" in content
      ? renderMarkdown(content.document as ShownDocument)
      : "markdown" in content
        ? content.markdown
        : "reason" in content
          ? md`**Refused.** ${sentence(content.reason as string)}`
          : "Running …";
  return md`${code(shown)}${run}

${trusted(answer as string)}
`;
}
