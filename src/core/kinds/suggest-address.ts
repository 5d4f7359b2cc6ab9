import { findNearest } from "../../base/diagnostics/index.js";

/**
 * Suggests the address that a user probably meant: a similar one, or the only one with the same name (for `shop` or
 * `voice.shop`) or with the given field (for `context.shop.prompt`). If there is none, returns `otherAdvice`.
 */
export function suggestAddress(given: string, addresses: Iterable<string>, otherAdvice: string): string {
  const known = [...new Set(addresses)];
  const getName = (address: string) => address.slice(address.indexOf(".") + 1);
  const [only, ...more] = known.filter(
    (address) => getName(address) === getName(given) || given.startsWith(`${address}.`),
  );
  const suggested = findNearest(given, known) ?? (more.length === 0 ? only : undefined);
  return suggested === undefined ? otherAdvice : `Did you mean ${suggested}?`;
}
