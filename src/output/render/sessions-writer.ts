import {
  type DurationUnit,
  type SessionsSummary,
  type ShownSession,
  sessionsHead,
} from "../documents/index.js";
import { csvRecord } from "./csv.js";
import { renderJson } from "./json.js";
import { writeSessionsMarkdown } from "./sessions-markdown.js";
import { type SessionsWriter, writeSessionsText } from "./sessions-text.js";
import type { TextOptions } from "./span.js";

/** The writer of a format; without one of its own, text. */
export function openSessionsWriter(
  format: string,
  type: SessionsSummary["type"],
  options: TextOptions & { readonly durationUnit?: DurationUnit | undefined },
): SessionsWriter {
  switch (format) {
    case "json":
      return writeSessionsJson(type);
    case "csv":
      return writeSessionsCsv(options.durationUnit);
    case "markdown":
      return writeSessionsMarkdown();
    default:
      return writeSessionsText(options);
  }
}

/** All of them, also where no session has a value: programs rely on columns. New ones come last. */
const columns = [
  ...(["id", "created_at", "end_at", "end_reason", "duration", "credits_consumed"] as const),
  ...(["mode", "source", "is_sandbox", "updated_at"] as const),
] satisfies readonly (keyof ShownSession)[];

/** Sessions as CSV, in the service's spelling; a missing value is an empty cell, and so is a unit that is not set. */
function writeSessionsCsv(durationUnit: DurationUnit | undefined): SessionsWriter {
  let titles = csvRecord([...columns, "duration_unit"]);
  return {
    sessions(more) {
      const text =
        titles +
        more.map((session) => csvRecord([...columns.map((name) => session[name]), durationUnit])).join("");
      titles = "";
      return text;
    },
    end: () => titles,
  };
}

/** The document of sessions: those first, and what is known at the end after them. */
function writeSessionsJson(type: SessionsSummary["type"]): SessionsWriter {
  const opening = renderJson({ ...sessionsHead(), type, sessions: [] }).replace(/\]\n\}\n$/, "");
  let held: ShownSession | undefined;
  const entry = (session: ShownSession, end: string) =>
    `${renderJson(session).trimEnd().replace(/^/gm, "    ")}${end}\n`;
  return {
    sessions(more) {
      const text: string[] = [];
      for (const session of more) {
        if (held) text.push(entry(held, ","));
        else text.push(`${opening}\n`);
        held = session;
      }
      return text.join("");
    },
    end({ type: _, ...summary }) {
      const last = held ? `${entry(held, "")}  ]` : `${opening}]`;
      return `${last},\n${renderJson(summary).slice("{\n".length)}`;
    },
  };
}
