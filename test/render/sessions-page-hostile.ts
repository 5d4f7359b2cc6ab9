import type { SessionsReportDocument } from "../../src/output/documents/index.js";
import { reportSample } from "./report-sample.js";

/** A text that would leave its place in a page, run, reorder what is around it, or end the text. */
export const hostile = `::error::##[group]</script></style><img src=x onerror=alert(1)>"'\`&\u202E\u0000\n`;

/** The sample with this text wherever somebody else's text stands. */
export function saying(text: string): SessionsReportDocument {
  const counts = [{ value: text, sessions: 1 }];
  return {
    ...reportSample,
    ...{ service: text, environment: text, end_reasons: counts, modes: counts, sources: counts },
    groups: reportSample.groups.map((group) => ({ ...group, key: text })),
    incomplete: [{ reason: "unstable-list", message: text }],
  };
}
