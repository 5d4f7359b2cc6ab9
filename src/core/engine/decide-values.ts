import { listWriteOnlyFields, parseAddress } from "../kinds/index.js";
import type { DecideInput } from "./decide-input.js";
import type { Rotation } from "./observation.js";
import type { FieldChange } from "./plan-types.js";
import { listWriteOnlyChanges } from "./three-way-compare.js";

/* Decides when to send write-only values, which are never read back, and explains each decision in notes. */

/** Returns the write-only fields to send with a write of a live object. Empty if no value is known to differ. */
export function listWriteOnlyToSend(
  { tracked, rotation }: DecideInput,
  differences: readonly FieldChange[],
  recovered?: true,
): FieldChange[] {
  const { declaration, entry } = tracked;
  const { update } = declaration.kind;
  const isRotated = rotation?.value === "changed";
  // The lost create already sent the values.
  if (recovered && differences.length === 0 && !isRotated) return [];
  // A first write and a superseding create send all values, but an update sends only changed ones.
  const isWhole = update ? entry === undefined : differences.length > 0;
  return isRotated || isWhole ? listWriteOnlyChanges(declaration, getNewVersion(rotation)) : [];
}

/** Explains why a changed value is sent. Returns an empty list if no value changed. */
export function describeRotation({ rotation }: DecideInput): string[] {
  if (rotation?.value !== "changed") return [];
  return [rotation.because, rotation.problem?.message].filter((note) => note !== undefined);
}

export function getNewVersion(rotation: Rotation | undefined): string | undefined {
  return rotation?.value === "changed" ? rotation.version : undefined;
}

/** Explains why write-only values may have changed, for an object that is otherwise in sync. */
export function describeUnverified(
  { rotation, tracked: { declaration } }: DecideInput,
  recovered?: true,
): string[] {
  if (recovered || !rotation || rotation.value === "same") return [];
  return [explainUnverified(rotation, declaration.address)];
}

/** Explains why write-only values may have changed, for a change that does not send them. */
export function describeUnsent(input: DecideInput, fields: readonly FieldChange[]): string[] {
  return fields.some(({ type }) => type === "write-only") ? [] : describeUnverified(input);
}

/** Explains why this run cannot read a value that has to be sent. */
export function describeUnavailable({ tracked, rotation }: DecideInput): string[] {
  const isSent = Object.keys(tracked.declaration.sources).length > 0;
  const isUnavailable = rotation?.value === "unavailable" || rotation?.value === "changed";
  return isSent && isUnavailable && rotation.problem ? [rotation.problem.message] : [];
}

/** Explains why it is unknown whether the value changed. */
export function explainUnverified(rotation: Rotation, address: string): string {
  switch (rotation.value) {
    case "unavailable":
      return `It is unknown whether the value changed. ${rotation.problem?.message ?? "Secrets are not read for this plan."}`;
    case "other-key":
      return `It is unknown whether the value changed, because its fingerprint was made with a different fingerprint_key. Use that key again, or run \`avatarops state forget ${address}\` and apply to create a new object.`;
    default: {
      const { kind } = parseAddress(address) ?? {};
      const version = kind ? `${listWriteOnlyFields(kind)[0]}_version` : "a version";
      return `It is unknown whether the value changed, because no fingerprint was recorded. If the value is unchanged, declare \`${version}: 1\`. To send a new value, declare a higher number.`;
    }
  }
}
