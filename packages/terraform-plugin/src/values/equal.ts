import { isList, isRecord, own } from "./shape.js";
import type { Value } from "./value.js";

/** Whether two values are one and the same to Terraform, which has texts in NFC. Unknown is the same only as Unknown. */
export function identicalValue(one: Value | undefined, other: Value | undefined): boolean {
  if (one === other) return true;
  if (typeof one === "string" && typeof other === "string")
    return normalizedText(one) === normalizedText(other);
  if (isList(one) && isList(other))
    return one.length === other.length && one.every((child, at) => identicalValue(child, other[at]));
  if (!isRecord(one) || !isRecord(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && identicalValue(one[name], own(other, name)))
  );
}

/** As Terraform will have it: NFC, and a lone surrogate replaced on the way. */
function normalizedText(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\ufffd").normalize("NFC");
}
