import type { Page } from "../../../base/serving/index.js";
import type { Service } from "../../../core/api/index.js";
import type { Project } from "../../../operations/index.js";
import { type SessionsReportDocument, sessionsReportDocument } from "../../../output/documents/index.js";
import { renderSessionsPage } from "../../../output/render/index.js";
import { openCalendar, reportPeriod } from "../../../sessions/reports/index.js";
import type { PolledSessions } from "./polling.js";

export interface StatusPageOptions {
  /** Limited to GET. */
  readonly service: Service;
  readonly project: Project;
  readonly seen: () => PolledSessions;
  readonly intervalMs: number;
  readonly now: () => number;
}

const hourMs = 3_600_000;

/** `?since=`, and how long before now that is; ms. */
const periods: Readonly<Record<string, number>> = {
  "24h": 24 * hourMs,
  "7d": 7 * 24 * hourMs,
  "30d": 30 * 24 * hourMs,
};
const usual = "7d";

/** A report reads many pages: whoever loads the page again and again must not make the service work. In ms. */
const freshMs = 5 * 60_000;

/** No frame of another page shows it. */
const headers = { "x-frame-options": "DENY" };

/** The page for people: who is active now, and a report that is made when somebody asks and then kept for minutes. */
export function openStatusPage({ service, project, seen, intervalMs, now }: StatusPageOptions): Page {
  const kept = new Map<string, { readonly document: SessionsReportDocument; readonly madeMs: number }>();
  const making = new Map<string, Promise<SessionsReportDocument>>();

  async function make(since: string): Promise<SessionsReportDocument> {
    const calendar = openCalendar("UTC");
    const until = service.serverTime() ?? now();
    const period = { since: until - (periods[since] ?? 0), until };
    const before = service.requests.total;
    const report = await reportPeriod(service, { period, calendar, now });
    const requests = service.requests.total - before;
    const document = sessionsReportDocument({ report, timeZone: "UTC", service, project, requests });
    kept.set(since, { document, madeMs: now() });
    return document;
  }

  /** One at a time of each period; the one that is kept is shown until there is a newer one. */
  async function findReport(since: string): Promise<SessionsReportDocument> {
    const known = kept.get(since);
    if (known && (now() - known.madeMs < freshMs || seen().failingSince !== undefined)) return known.document;
    let made = making.get(since);
    if (!made) {
      made = make(since).finally(() => making.delete(since));
      making.set(since, made);
      // Where an older one is shown, nobody waits for it.
      made.catch(() => {});
    }
    return known?.document ?? made;
  }

  return {
    async respond({ url = "" }) {
      const since = new URL(url, "http://page").searchParams.get("since") ?? usual;
      if (!Object.hasOwn(periods, since))
        return { status: 400, text: `since is one of ${Object.keys(periods).join(", ")}\n` };
      const { at, active, ended, failingSince } = seen();
      const document = await findReport(since).catch(() => undefined);
      if (!document) return { status: 503, text: "the sessions cannot be read: the log says why\n" };
      const text = renderSessionsPage(document, {
        ...{ active, ended, readAt: at },
        refreshSeconds: Math.max(60, Math.round(intervalMs / 1000)),
        notice:
          failingSince && `The service cannot be read since ${failingSince}: this is what was known before.`,
      });
      return { status: 200, text, contentType: "text/html; charset=utf-8", headers };
    },
  };
}
