/** Names for a sentence, "a, b and 3 more": only the first of many. */
export function listed(names: readonly string[], most = 5): string {
  const shown = names.slice(0, most).join(", ");
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}
