import type { Diagnostics, NewState } from "@avatarops/terraform-plugin";
import { type Kind, type ListedObject, writeOnlyFields } from "../../core/kinds/index.js";
import type { WriteContext, WriteOnlyValues, WriteResult } from "../../core/lifecycle/index.js";
import { Sealed } from "../../core/secrets/index.js";
import { servedBy } from "./account/same-service.js";
import type { AccountCall } from "./calls.js";
import {
  editedMeanwhile,
  nameTaken,
  nameTakenByOther,
  notFound,
  outcomeUnknown,
  refused,
} from "./diagnostics.js";
import { recordApplied } from "./last-applied.js";
import { copyBefore, seenAt } from "./read.js";
import { writeOnlyName } from "./schema.js";
import { knownBy } from "./strategy.js";
import { attributeOf, normalizedValue, plannedComputed, toSpec, toState, type Values } from "./values.js";

/** What a write of this call needs. Terraform keeps the journal: nothing is to be done before it is sent. */
export function toWriteContext(
  kind: Kind,
  { open, config, planned, signal, private: saved }: AccountCall,
): WriteContext {
  const { service, reader, objects, ownership, settings, system } = open;
  return {
    ...{ kind, service, reader, system, signal, settleMs: settings.settleMs },
    // As planned, which is not always as configured: see `ignore_changes`.
    spec: toSpec(kind, planned),
    copyBefore: copyBefore(saved),
    values: writeOnlyValues(kind, config),
    list: (options: { readonly fresh: boolean }) => objects.list(kind, options),
    isForeign: (id) => ownership.has(kind, id),
    normalize: normalizedValue,
  };
}

/** What a create needs. Where `timeouts` cut it off, looking for it takes longer than that. */
export function toCreateContext(kind: Kind, call: AccountCall): WriteContext {
  const context = toWriteContext(kind, call);
  if (!call.recovery) return context;
  const { signal, open } = call.recovery;
  return { ...context, signal, reader: open.reader, list: (options) => open.objects.list(kind, options) };
}

function writeOnlyValues(kind: Kind, config: Values): WriteOnlyValues {
  const given = writeOnlyFields(kind).map((field) => [field, config[writeOnlyName(field)]] as const);
  return Object.fromEntries(
    given.flatMap(([field, value]) => (typeof value === "string" ? [[field, new Sealed(value)]] : [])),
  );
}

type Written = Extract<WriteResult, { outcome: "written" }>;

/** What a write made of an object, as saved to the state; a difference from what was sent is an error. */
export function saveWritten(
  kind: Kind,
  { open, config, planned, diagnostics, log }: AccountCall,
  result: Written,
): NewState {
  const { live, recovered, sentAtMs, copyBefore } = result;
  if (recovered) log("info", "the answer to a write was lost; what it did was found", { id: live.id });
  reportMismatches(kind, result, diagnostics);
  open.objects.recordWrite(kind, live);
  open.ownership.claim(kind, live.id, knownBy(kind, planned));
  return {
    state: { ...toState(kind, live, planned), ...plannedComputed(kind, planned) },
    private: {
      ...servedBy(open),
      ...seenAt(sentAtMs),
      ...recordApplied(kind, live.spec, config),
      copy_before: copyBefore,
    },
  };
}

/** Reports what the service stored otherwise than it was sent. */
export function reportMismatches(kind: Kind, { mismatches }: Written, diagnostics: Diagnostics): void {
  for (const { summary, detail, field } of mismatches)
    diagnostics.error(summary, detail, [attributeOf(kind, field)]);
}

/** Reports a write that came to nothing, or may have; what the provider explains for every call is thrown. */
export function reportFailure(
  kind: Kind,
  call: AccountCall,
  result: Exclude<WriteResult, Written>,
  written: { readonly create: true } | { readonly update: string } | { readonly adopt: string },
): null {
  const { diagnostics } = call;
  switch (result.outcome) {
    case "stale":
      return editedMeanwhile(kind, result.fields, diagnostics);
    case "gone":
      if ("create" in written) throw new Error(`Bug: a ${kind.name} is gone before it was created`);
      if ("adopt" in written) return notFound(kind, written.adopt, diagnostics);
      diagnostics.error(
        `The ${kind.name} no longer exists`,
        `The account has no ${kind.name} ${written.update} any more. Plan again.`,
      );
      return null;
    case "unknown":
      return outcomeUnknown(kind, "create" in written ? "Create" : "Update", result, diagnostics);
    case "refused": {
      const { error, nameHolders = [] } = result;
      if (error.code !== "refused" && error.code !== "name-taken") throw error;
      if (nameHolders.length === 0) return refused(kind, error, diagnostics);
      return reportTaken(kind, call, nameHolders, "create" in written);
    }
  }
}

/** Reports a name that others have: whether one of them can be imported. */
export function reportTaken(
  kind: Kind,
  { open, planned, diagnostics }: AccountCall,
  holders: readonly ListedObject[],
  isNew = true,
): null {
  if (isNew) for (const { id } of holders) open.ownership.contest(kind, id);
  const isManaged = holders.some(({ id }) => open.ownership.has(kind, id));
  const report = isNew && !isManaged ? nameTaken : nameTakenByOther;
  return report(kind, String(planned[kind.label]), holders, diagnostics);
}
