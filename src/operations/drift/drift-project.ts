import type { Manifest } from "../../core/manifest/index.js";
import { type DriftDocument, driftDocument } from "../../output/documents/index.js";
import { withService } from "../connect.js";
import { placesIn } from "../declared-places.js";
import { driftNotices } from "../notify/facts.js";
import { notify, notifyFailure } from "../notify/notify.js";
import { refuseUnknownAddress } from "../plan.js";
import type { Runtime } from "../runtime.js";
import type { DriftProposalOptions } from "./bring-back.js";
import { observeDrift } from "./observe-drift.js";

/** What is looked for, and what is done about it. */
export interface DriftOptions extends Omit<DriftProposalOptions, "document"> {
  /** Also list what no file declares. */
  readonly undeclared?: boolean;
  /** What brings the edits back, or reports them; default: neither. */
  readonly proposes?: "pull request" | undefined;
}

/** Compares the account with what was last applied, keeps the pull request about it, and tells of it. */
export async function driftProject(
  runtime: Runtime,
  project: Manifest,
  options: DriftOptions,
): Promise<DriftDocument> {
  try {
    const document = await findAndPropose(runtime, project, options);
    await notify(runtime, project, { command: "drift", facts: driftNotices(document) });
    return document;
  } catch (error) {
    await notifyFailure(runtime, project, "drift", error);
    throw error;
  }
}

async function findAndPropose(
  runtime: Runtime,
  project: Manifest,
  options: DriftOptions,
): Promise<DriftDocument> {
  return withService(runtime, project, async (service) => {
    const seen = await observeDrift(runtime, project, service, options);
    const { environment } = project;
    const facts = {
      ...seen,
      service: service.baseUrl,
      environment,
    };
    const document = driftDocument(facts, placesIn(project));
    if (options.proposes === "pull request") {
      for (const address of options.named) refuseUnknownAddress(address, project, seen.state);
      const { proposeDrift } = await import("./bring-back.js");
      const pull_request = await proposeDrift(runtime, project, seen, { ...options, document });
      return { ...document, pull_request };
    }
    return document;
  });
}
