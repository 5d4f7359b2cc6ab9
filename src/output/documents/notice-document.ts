import { abbreviate } from "../../base/text/index.js";
import { createHead, type Parsed } from "./document.js";
import type { noticeForm } from "./schemas/notice-form.js";

/** Webhook payload. `schemas/notice-v1.schema.json` describes each key. */
export interface NoticeDocument extends Parsed<typeof noticeForm> {}

type NoticeData = NoticeDocument["data"];

/** Event-specific part of a notice. */
export interface NoticeFacts extends Pick<NoticeData, "title">, Partial<Pick<NoticeData, OptionalFact>> {
  readonly type: NoticeDocument["type"];
  readonly objects?: NoticeData["objects"];
  readonly problems?: NoticeData["problems"];
}

type OptionalFact = "run" | "commit" | "state_serial";

/** Part of a notice, shared by all events of a run. */
export interface NoticeContext extends Pick<NoticeData, "command" | "project"> {
  readonly environment: string | undefined;
  readonly user: string | undefined;
  readonly run: string | undefined;
  /** Current time, in ms. */
  readonly now: number;
}

/** Maximum number of listed objects, because chats truncate long messages. */
const maxListed = 50;

export function toNoticeDocument(facts: NoticeFacts, context: NoticeContext): NoticeDocument {
  const { objects = [], problems = [] } = facts;
  return {
    ...createHead("notice"),
    type: facts.type,
    timestamp: new Date(context.now).toISOString(),
    data: {
      title: `${facts.title} (${[context.project, context.environment].filter(Boolean).join(", ")})`,
      command: context.command,
      project: context.project,
      environment: context.environment,
      user: context.user,
      run: facts.run ?? context.run,
      commit: facts.commit,
      state_serial: facts.state_serial,
      objects: objects.slice(0, maxListed).map(({ address, what, problem }) => ({
        ...{ address, what },
        problem: problem && shortenQuotes(problem),
      })),
      more_objects: Math.max(0, objects.length - maxListed),
      problems: problems
        .slice(0, maxListed)
        .map(({ code, message }) => ({ code, message: shortenQuotes(message) })),
    },
  };
}

/** Maximum length of a quote, in UTF-16 code units. */
const maxQuoteLength = 60;
const maxMessageLength = 600;

/**
 * Removes long quotes, which may contain prompts or files. Removes everything from the first quotation mark to the
 * last, because the quoted text may itself contain quotation marks.
 */
export function shortenQuotes(message: string): string {
  const first = message.indexOf('"');
  const last = message.lastIndexOf('"');
  // Without a closing mark, the quote extends to the end of the message.
  const end = first === last ? message.length : last;
  const isLong = first !== -1 && end - first - 1 > maxQuoteLength;
  const shown = isLong ? `${message.slice(0, first)}"…"${message.slice(end + 1)}` : message;
  return abbreviate(shown, maxMessageLength);
}
