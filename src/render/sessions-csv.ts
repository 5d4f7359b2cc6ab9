import type { DurationUnit, ShownSession } from "../documents/index.js";
import { csvRecord } from "./csv.js";
import type { SessionsWriter } from "./sessions-writer.js";

/** All of them, also where no session has a value: programs rely on columns. New ones come last. */
const columns = [
  ...(["id", "created_at", "end_at", "end_reason", "duration", "credits_consumed"] as const),
  ...(["mode", "source", "is_sandbox", "updated_at"] as const),
] satisfies readonly (keyof ShownSession)[];

/** Sessions as CSV, in the service's spelling; a missing value is an empty cell, and so is a unit that is not set. */
export function writeSessionsCsv(durationUnit: DurationUnit | undefined): SessionsWriter {
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
