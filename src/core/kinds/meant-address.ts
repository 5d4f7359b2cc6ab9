import { findNearest } from "../../base/diagnostics/index.js";

/**
 * Returns the address that a user probably meant, for a "did you mean" hint: a similar one, or the only one with the
 * same name (`shop`, `voice.shop`) or with this field (`context.shop.prompt`).
 */
export function findMeantAddress(given: string, addresses: Iterable<string>): string | undefined {
  const known = [...new Set(addresses)];
  const getName = (address: string) => address.slice(address.indexOf(".") + 1);
  const [only, ...more] = known.filter(
    (address) => getName(address) === getName(given) || given.startsWith(`${address}.`),
  );
  return findNearest(given, known) ?? (more.length === 0 ? only : undefined);
}
