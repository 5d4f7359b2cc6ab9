import type { SessionsReportDocument } from "../../src/output/documents/index.js";
import { reportSample } from "./report-sample.js";

/** A text that tries to leave its place in a page, run code, reorder its surroundings or end the page. */
export const hostile = `::error::##[group]</script></style><img src=x onerror=alert(1)>"'\`&\u202E\u0000\n`;

/** The sample report with this text instead of every external text. */
export function saying(text: string): SessionsReportDocument {
  const counts = [{ value: text, sessions: 1 }];
  return {
    ...reportSample,
    ...{ service: text, environment: text, end_reasons: counts, modes: counts, sources: counts },
    groups: reportSample.groups.map((group) => ({ ...group, key: text })),
    incomplete: [{ reason: "unstable-list", message: text }],
  };
}
