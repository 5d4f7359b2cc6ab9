const listedAtMost = 5;

/** Addresses for a sentence; only the first of many. */
export function listed(addresses: readonly string[]): string {
  const shown = addresses.slice(0, listedAtMost).join(", ");
  return addresses.length > listedAtMost ? `${shown} and ${addresses.length - listedAtMost} more` : shown;
}
