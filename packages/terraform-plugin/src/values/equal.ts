import { getOwn, isList, isRecord } from "./shape.js";
import type { Value } from "./value.js";

/** Returns whether two values are identical to Terraform, which stores strings in NFC. Unknown equals only Unknown. */
export function isIdentical(one: Value | undefined, other: Value | undefined): boolean {
  if (one === other) return true;
  if (typeof one === "string" && typeof other === "string")
    return normalizeText(one) === normalizeText(other);
  if (isList(one) && isList(other))
    return one.length === other.length && one.every((child, at) => isIdentical(child, other[at]));
  if (!isRecord(one) || !isRecord(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isIdentical(one[name], getOwn(other, name)))
  );
}

/** Normalizes a string as Terraform does: to NFC, with lone surrogates replaced. */
function normalizeText(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\ufffd").normalize("NFC");
}
