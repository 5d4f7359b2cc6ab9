import type { SessionsReportDocument, ShownSession } from "../../documents/index.js";
import { foreign, type HtmlElement } from "../html.js";
import { count, durationText, number } from "../phrases.js";
import { clockIn, shownOr } from "../session-facts.js";
import { type Column, sortableTable } from "./table.js";

/** Sessions one by one; `at` is when they were read, in ms since the epoch: an active one has an age. */
export function sessionsTable(
  id: "active" | "ended",
  sessions: readonly ShownSession[],
  report: SessionsReportDocument,
  at: number,
): HtmlElement {
  const most = 100;
  const clock = clockIn(report.period.time_zone, false);
  const secondsSince = (moment: string | undefined) => {
    const began = Date.parse(moment ?? "");
    return Number.isNaN(began) ? undefined : Math.max(0, (at - began) / 1000);
  };
  const words = (title: string, of: (session: ShownSession) => string | undefined): Column<ShownSession> => ({
    ...{ title, is: "words", value: of },
    shown: (session) => shownOr(of(session), foreign),
  });
  const time = (title: string, of: (session: ShownSession) => string | undefined): Column<ShownSession> => ({
    ...{ title, is: "time", value: of },
    shown: (session) => foreign(clock(of(session))),
  });
  const amount = (
    title: string,
    of: (session: ShownSession) => number | undefined,
    shown: (value: number) => string,
  ): Column<ShownSession> => ({
    ...{ title, is: "number", value: of },
    shown: (session) => shownOr(of(session), shown),
  });
  const kept = sessions.slice(0, most);
  const left = sessions.length - kept.length;
  const rest = left > 0 ? ` ${count(left, "more session")} not shown.` : "";
  const common = [
    words("Mode", ({ mode }) => mode),
    words("Source", ({ source }) => source),
    words("Sandbox", ({ is_sandbox }) => (is_sandbox === undefined ? undefined : is_sandbox ? "yes" : "no")),
    amount("Credits", ({ credits_consumed }) => credits_consumed, number),
  ];
  const own =
    id === "active"
      ? [
          amount(
            "Age",
            ({ created_at }) => secondsSince(created_at),
            (age) => durationText(age, "seconds"),
          ),
        ]
      : [
          words("End reason", ({ end_reason }) => end_reason),
          amount(
            "Duration",
            ({ duration }) => duration,
            (value) => durationText(value, report.duration_unit),
          ),
        ];
  const began = time("Began", ({ created_at }) => created_at);
  const ended = time("Ended", ({ end_at, updated_at }) => end_at ?? updated_at);
  return sortableTable({
    id,
    caption: `${id === "active" ? "Sessions that have not ended" : "The last ended sessions"}, sandbox sessions included.${rest}`,
    columns: [id === "active" ? began : ended, ...own, ...common, words("Session", ({ id }) => id)],
    rows: kept,
  });
}
