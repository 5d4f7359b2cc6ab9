import type { SessionsReportDocument } from "../../src/output/documents/index.js";
import { reportSample } from "./report-sample.js";

/** Text that tries to break out of its element, run code, reorder text or end the page. */
export const hostile = `::error::##[group]</script></style><img src=x onerror=alert(1)>"'\`&\u202E\u0000\n`;

/** Returns the sample report with every external string replaced by `text`. */
export function createHostileReport(text: string): SessionsReportDocument {
  const counts = [{ value: text, sessions: 1 }];
  return {
    ...reportSample,
    ...{ service: text, environment: text, end_reasons: counts, modes: counts, sources: counts },
    groups: reportSample.groups.map((group) => ({ ...group, key: text })),
    incomplete: [{ reason: "unstable-list", message: text }],
  };
}
