import { differingFields, digestSpec, type Live, type Spec } from "../kinds/index.js";
import type { WriteContext } from "./write-context.js";

/** The object at the time its write was planned. */
export type Expected = { readonly digest: string } | { readonly spec: Spec };

/**
 * The fields in which the object differs from what was expected, if known; undefined if there is no
 * difference.
 */
export function changedSince(
  { kind, normalize }: Pick<WriteContext, "kind" | "normalize">,
  expected: Expected | undefined,
  { spec }: Live,
): readonly string[] | undefined {
  if (!expected) return undefined;
  if ("digest" in expected) return digestSpec(kind, spec) === expected.digest ? undefined : [];
  const fields = differingFields(kind, expected.spec, spec, normalize);
  return fields.length > 0 ? fields : undefined;
}
