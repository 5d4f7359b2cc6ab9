import { type SessionsSummary, type ShownSession, sessionsHead } from "../documents/index.js";
import { renderJson } from "./json.js";
import type { SessionsWriter } from "./sessions-writer.js";

/** The document of sessions: those first, and what is known at the end after them. */
export function writeSessionsJson(type: SessionsSummary["type"]): SessionsWriter {
  const opening = renderJson({ ...sessionsHead(), type, sessions: [] }).replace(/\]\n\}\n$/, "");
  let held: ShownSession | undefined;
  const entry = (session: ShownSession, end: string) => `${indented(renderJson(session))}${end}\n`;
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

function indented(json: string): string {
  return json.trimEnd().replace(/^/gm, "    ");
}
