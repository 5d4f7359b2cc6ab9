/** Joins names for a sentence, such as "a, b and 3 more". */
export function listNames(names: readonly string[], max = 5): string {
  const shown = names.slice(0, max).join(", ");
  return names.length > max ? `${shown} and ${names.length - max} more` : shown;
}
