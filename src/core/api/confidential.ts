/** Minimum length of a value to look for inside other text. Shorter values would match by chance. */
const minLength = 4;

/**
 * Returns whether a string repeats a confidential value, plain or encoded (JSON, URL, base64). Second line of defense
 * against a service that echoes headers in an error.
 */
export function containsConfidential(text: string, value: string): boolean {
  const bytes = Buffer.from(value);
  const forms = [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(bytes.toString()),
    bytes.toString("base64"),
    bytes.toString("base64url"),
  ];
  if (value.length < minLength) return text === value;
  return forms.some((form) => text.includes(form));
}
