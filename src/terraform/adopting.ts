import type { Diagnostics } from "@avatarops/terraform-plugin";
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
    async plan({ open, prior, planned, diagnostics }) {
      if (prior === null && typeof planned.id === "string")
        await refuseMissing(kind, open, planned.id, diagnostics);
      return undefined;
    },
    async create({ open, config, planned, diagnostics }) {
      const id = String(config.id);
      const writing = { kind, open, diagnostics, config, spec: specOf(kind, planned), like: planned };
      const asked = open.stopwatch();
      const live = await readNow(kind, open, id);
      if (live === "gone") return missing(kind, id, diagnostics);
      if (live && differences(kind, writing.spec, live.spec).length === 0)
        return toSavedState(writing, live, asked());
      try {
        return await write(writing, id, live);
      } catch (error) {
        // What cannot be read shows only now that it is not there.
        if (error instanceof ServiceError && error.code === "not-found")
          return missing(kind, id, diagnostics);
        throw error;
      }
    },
    update({ open, config, prior, planned, diagnostics }) {
      const writing = { kind, open, diagnostics, config, spec: specOf(kind, planned), like: planned };
      return changeInPlace(writing, specOf(kind, prior), String(prior.id));
    },
  };
}

async function refuseMissing(
  kind: Kind,
  open: OpenAccount,
  id: string,
  diagnostics: Diagnostics,
): Promise<void> {
  if ((await open.objects.read(kind, id)).seen === "gone") missing(kind, id, diagnostics);
}

function missing(kind: Kind, id: string, diagnostics: Diagnostics): null {
  diagnostics.error(
    `There is no such ${kind.name}`,
    `The account has no ${kind.name} ${id}. It is made elsewhere and adopted here: correct the id, or remove the resource.`,
    ["id"],
  );
  return null;
}
