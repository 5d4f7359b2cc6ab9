import type { ShownSession } from "../documents/index.js";
import { csvRecord } from "./csv.js";
import type { SessionsWriter } from "./sessions-writer.js";

/** All of them, also where no session has a value: programs rely on columns. New ones come last. */
const columns = [
  ...(["id", "created_at", "end_at", "end_reason", "duration", "credits_consumed"] as const),
  ...(["mode", "source", "is_sandbox", "updated_at"] as const),
] satisfies readonly (keyof ShownSession)[];

/** Sessions as CSV, in the service's spelling; a missing value is an empty cell. */
export function writeSessionsCsv(): SessionsWriter {
  let titles = csvRecord(columns);
  return {
    sessions(more) {
      const text = titles + more.map((session) => csvRecord(columns.map((name) => session[name]))).join("");
      titles = "";
      return text;
    },
    end: () => titles,
  };
}
