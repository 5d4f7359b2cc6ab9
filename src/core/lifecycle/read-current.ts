import { digestSpec, findDifferingFields, type RemoteObject, type Spec } from "../kinds/index.js";
import type { WriteContext } from "./write-context.js";

/**
 * Reads the current object, or returns undefined if the service cannot return it. An object that cannot be read by id
 * may be in a list, such as a voice in the list of the avatars that use it.
 */
export async function readCurrent(
  { kind, reader, list }: Pick<WriteContext, "kind" | "reader" | "list">,
  id: string,
  options: { readonly fresh: boolean },
): Promise<RemoteObject | "gone" | undefined> {
  if (kind.read) return (await kind.read(reader, id)) ?? "gone";
  if (!kind.list?.whole) return undefined;
  const lookup = (await list(options)).findById(id);
  if (lookup.outcome === "absent") return "gone";
  return lookup.outcome === "found" ? lookup.found.live : undefined;
}

/** Object that a write expects to find in the account. */
export type ExpectedObject = { readonly digest: string } | { readonly spec: Spec };

/** Returns the changed fields (empty if unknown). Returns undefined if the object is as expected. */
export function findChanges(
  { kind, normalize }: Pick<WriteContext, "kind" | "normalize">,
  expected: ExpectedObject | undefined,
  { spec }: RemoteObject,
): readonly string[] | undefined {
  if (!expected) return undefined;
  if ("digest" in expected) return digestSpec(kind, spec) === expected.digest ? undefined : [];
  const fields = findDifferingFields(kind, expected.spec, spec, normalize);
  return fields.length > 0 ? fields : undefined;
}
