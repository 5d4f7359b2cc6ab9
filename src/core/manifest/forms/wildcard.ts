/** Returns whether a string matches a pattern, where `*` stands for any characters. Takes linear time. */
export function matchesWildcard(text: string, pattern: string): boolean {
  const [first = "", ...others] = pattern.split("*");
  if (others.length === 0) return text === first;
  const last = others.pop() ?? "";
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of others) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return text.length - at >= last.length && text.endsWith(last);
}
