import type { Report } from "@avatarops/terraform-plugin";
import { ServiceError } from "../api/index.js";
import type { Kind } from "../kinds/index.js";
import type { OpenAccount } from "./account.js";
import { toSavedState } from "./reading.js";
import type { ResourceLifecycle } from "./resource-lifecycle.js";
import { differences, specOf } from "./values.js";
import { changeInPlace, readNow, write } from "./writing.js";

/** Objects that exist already: "creating" one is to take it over by its id, and to write what differs. */
export function adopting(kind: Kind): ResourceLifecycle {
  return {
    async plan({ open, prior, planned, report }) {
      if (prior === null && typeof planned.id === "string")
        await refuseMissing(kind, open, planned.id, report);
      return undefined;
    },
    async create({ open, config, planned, report }) {
      const id = String(config.id);
      const writing = { kind, open, report, config, spec: specOf(kind, planned), like: planned };
      const asked = open.stopwatch();
      const live = await readNow(kind, open, id);
      if (live === "gone") return missing(kind, id, report);
      if (live && differences(kind, writing.spec, live.spec).length === 0)
        return toSavedState(writing, live, asked());
      try {
        return await write(writing, id, live);
      } catch (error) {
        // What cannot be read shows only now that it is not there.
        if (error instanceof ServiceError && error.code === "not-found") return missing(kind, id, report);
        throw error;
      }
    },
    update({ open, config, prior, planned, report }) {
      const writing = { kind, open, report, config, spec: specOf(kind, planned), like: planned };
      return changeInPlace(writing, specOf(kind, prior), String(prior.id));
    },
  };
}

async function refuseMissing(kind: Kind, open: OpenAccount, id: string, report: Report): Promise<void> {
  if ((await open.objects.read(kind, id)).seen === "gone") missing(kind, id, report);
}

function missing(kind: Kind, id: string, report: Report): null {
  report.error(
    `There is no such ${kind.name}`,
    `The account has no ${kind.name} ${id}. It is made elsewhere and adopted here: correct the id, or remove the resource.`,
    ["id"],
  );
  return null;
}
