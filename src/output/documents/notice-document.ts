import { abbreviate } from "../../base/text/index.js";
import { head, type Parsed } from "./document.js";
import type { noticeForm } from "./schemas/notice-form.js";

/** What a webhook is told; `schemas/notice-v1.schema.json` describes each key. */
export interface NoticeDocument extends Parsed<typeof noticeForm> {}

type NoticeData = NoticeDocument["data"];

/** What happened, and to which objects. */
export interface NoticeFacts extends Pick<NoticeData, "title">, Partial<Pick<NoticeData, Optional>> {
  readonly type: NoticeDocument["type"];
  readonly objects?: NoticeData["objects"];
  readonly problems?: NoticeData["problems"];
}

type Optional = "run" | "commit" | "state_serial";

/** Where and when it happened. */
export interface NoticeContext extends Pick<NoticeData, "command" | "project"> {
  readonly environment: string | undefined;
  readonly user: string | undefined;
  readonly run: string | undefined;
  /** In ms. */
  readonly now: number;
}

/** At most this many are named: chats cut long messages. */
const longestList = 50;

export function noticeDocument(facts: NoticeFacts, context: NoticeContext): NoticeDocument {
  const { objects = [], problems = [] } = facts;
  return {
    ...head("notice"),
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
      objects: objects.slice(0, longestList).map(({ address, what, problem }) => ({
        ...{ address, what },
        problem: problem && withoutLongQuotes(problem),
      })),
      more_objects: Math.max(0, objects.length - longestList),
      problems: problems
        .slice(0, longestList)
        .map(({ code, message }) => ({ code, message: withoutLongQuotes(message) })),
    },
  };
}

/** In UTF-16 code units. */
const longestQuote = 60;
const longestMessage = 600;

/**
 * A message without long quotes: the service may quote a prompt when it refuses one, and a diagnostic what is written in
 * a file. From the first quotation mark to the last, because a quoted text may have some itself.
 */
export function withoutLongQuotes(message: string): string {
  const first = message.indexOf('"');
  const last = message.lastIndexOf('"');
  // A mark that is not closed quotes all that follows.
  const end = first === last ? message.length : last;
  const isLong = first !== -1 && end - first - 1 > longestQuote;
  const shown = isLong ? `${message.slice(0, first)}"…"${message.slice(end + 1)}` : message;
  return abbreviate(shown, longestMessage);
}
