/** Shorter ones match everywhere by chance. */
const shortest = 4;

/**
 * Whether a text repeats a confidential value, plain or as JSON, a URL or base64 writes it. A safety net for a service that
 * repeats a request's headers: from the response to a request that stores a secret nothing is quoted anyway (see
 * `refusal.ts`), and only an id is taken (see `secrets.ts`).
 */
export function repeats(text: string, value: string): boolean {
  const bytes = Buffer.from(value);
  const forms = [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(bytes.toString()),
    bytes.toString("base64"),
    bytes.toString("base64url"),
  ];
  if (value.length < shortest) return text === value;
  return forms.some((form) => text.includes(form));
}
