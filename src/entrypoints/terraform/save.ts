import type { Diagnostics, NewState } from "@avatarops/terraform-plugin";
import { type Kind, type ListedObject, listWriteOnlyFields } from "../../core/kinds/index.js";
import type { WriteContext, WriteOnlyValues, WriteResult } from "../../core/lifecycle/index.js";
import { Sealed } from "../../core/secrets/index.js";
import { recordService } from "./account/same-service.js";
import type { WriteCall } from "./calls.js";
import {
  reportEditedSincePlan,
  reportNameTaken,
  reportNameTakenByOther,
  reportNotFound,
  reportRefusal,
  reportUnknownOutcome,
} from "./diagnostics.js";
import { recordApplied } from "./edits-elsewhere.js";
import { readCopyBefore, recordSeenAt } from "./read.js";
import { toWriteOnlyName } from "./schema.js";
import { readIdentifyingValue } from "./strategy.js";
import {
  type AttributeValues,
  keepPlannedValues,
  normalizeValue,
  toAttributeName,
  toSpec,
  toState,
} from "./values.js";

/** Creates the context for a write. Needs no journal (`beforeSend`), because Terraform keeps the state. */
export function toWriteContext(
  kind: Kind,
  { account, config, planned, signal, private: saved }: WriteCall,
): WriteContext {
  const { service, reader, objects, ownership, settings, system } = account;
  return {
    ...{ kind, service, reader, system, signal, settleMs: settings.settleMs },
    // The plan can differ from the configuration (see `ignore_changes`).
    spec: toSpec(kind, planned),
    copyBefore: readCopyBefore(saved),
    values: readWriteOnlyValues(kind, config),
    list: (options: { readonly fresh: boolean }) => objects.list(kind, options),
    isForeign: (id) => ownership.isClaimed(kind, id),
    normalize: normalizeValue,
  };
}

/** Creates the context for a create. After a timeout, extra time remains to find the new object. */
export function toCreateContext(kind: Kind, call: WriteCall): WriteContext {
  const context = toWriteContext(kind, call);
  if (!call.recovery) return context;
  const { signal, account } = call.recovery;
  return {
    ...context,
    signal,
    reader: account.reader,
    list: (options) => account.objects.list(kind, options),
  };
}

function readWriteOnlyValues(kind: Kind, config: AttributeValues): WriteOnlyValues {
  const given = listWriteOnlyFields(kind).map((field) => [field, config[toWriteOnlyName(field)]] as const);
  return Object.fromEntries(
    given.flatMap(([field, value]) => (typeof value === "string" ? [[field, new Sealed(value)]] : [])),
  );
}

type CompletedWrite = Extract<WriteResult, { outcome: "written" }>;

/** Returns a written object's state. Reports fields that the service stored differently. */
export function saveWritten(
  kind: Kind,
  { account, config, planned, diagnostics, log }: WriteCall,
  result: CompletedWrite,
): NewState {
  const { live, recovered, sentAtMs, copyBefore } = result;
  if (recovered) log("info", "response to a write was lost, but its result was found", { id: live.id });
  reportMismatches(kind, result, diagnostics);
  account.objects.recordWrite(kind, live);
  account.ownership.claim(kind, live.id, readIdentifyingValue(kind, planned));
  return {
    state: { ...toState(kind, live, planned), ...keepPlannedValues(kind, planned) },
    private: {
      ...recordService(account),
      ...recordSeenAt(sentAtMs),
      ...recordApplied(kind, live.spec, config),
      copy_before: copyBefore,
    },
  };
}

/** Reports fields that the service stored differently. */
export function reportMismatches(kind: Kind, { mismatches }: CompletedWrite, diagnostics: Diagnostics): void {
  for (const { summary, detail, field } of mismatches)
    diagnostics.error(summary, detail, [toAttributeName(kind, field)]);
}

/** Reports a write that failed or has an unknown outcome. Throws errors that `explainError` handles for every call. */
export function reportFailure(
  kind: Kind,
  call: WriteCall,
  result: Exclude<WriteResult, CompletedWrite>,
  written: { readonly create: true } | { readonly update: string } | { readonly adopt: string },
): null {
  const { diagnostics } = call;
  switch (result.outcome) {
    case "stale":
      return reportEditedSincePlan(kind, result.fields, diagnostics);
    case "gone":
      if ("create" in written) throw new Error(`Bug: a new ${kind.name} was reported as deleted`);
      if ("adopt" in written) return reportNotFound(kind, written.adopt, diagnostics);
      diagnostics.error(
        `The ${kind.name} no longer exists`,
        `The ${kind.name} ${written.update} was deleted after the plan was made. Plan again.`,
      );
      return null;
    case "unknown":
      return reportUnknownOutcome(kind, "create" in written ? "Create" : "Update", result, diagnostics);
    case "refused": {
      const { error, nameHolders = [] } = result;
      if (error.code !== "refused" && error.code !== "name-taken") throw error;
      if (nameHolders.length === 0) return reportRefusal(kind, error, diagnostics);
      return reportTakenName(kind, call, nameHolders, "create" in written);
    }
  }
}

/** Reports a name that other objects have. Suggests an import if none of the objects is managed. */
export function reportTakenName(
  kind: Kind,
  { account, planned, diagnostics }: WriteCall,
  holders: readonly ListedObject[],
  isNew = true,
): null {
  if (isNew) for (const { id } of holders) account.ownership.contest(kind, id);
  const isManaged = holders.some(({ id }) => account.ownership.isClaimed(kind, id));
  const report = isNew && !isManaged ? reportNameTaken : reportNameTakenByOther;
  return report(kind, String(planned[kind.label]), holders, diagnostics);
}
