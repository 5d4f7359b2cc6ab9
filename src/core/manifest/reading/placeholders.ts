const maxShownLength = 40;

/** Finds the service's placeholders (`${name}`) that open and close on the same line. */
export function findClosedPlaceholders(
  text: string,
): { readonly name: string; readonly start: number; readonly end: number }[] {
  return Array.from(text.matchAll(/\$\{([^{}$\n]*)\}/g), ({ index, 0: whole, 1: name = "" }) => ({
    name: name.trim(),
    start: index,
    end: index + whole.length,
  }));
}

/** Finds the service's placeholders (`${name}`) that are not closed on their line. */
export function findUnclosedPlaceholders(text: string): { readonly text: string; readonly start: number }[] {
  const found: { text: string; start: number }[] = [];
  const opening = /\$\{[^}\n$]*/g;
  for (const { index, 0: opened } of text.matchAll(opening)) {
    if (text.charAt(index + opened.length) !== "}")
      found.push({ text: opened.trimEnd().slice(0, maxShownLength), start: index });
  }
  return found;
}
