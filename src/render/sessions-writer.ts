import type { SessionsSummary, ShownSession } from "../documents/index.js";

/** Renders sessions as they come, so that they need not all be held in memory. */
export interface SessionsWriter {
  /** The text for further sessions; it may be empty, and come with later ones. Ends with a line end. */
  sessions(more: readonly ShownSession[]): string;
  /** The rest. */
  end(summary: SessionsSummary): string;
}
