/**
 * Returns whether a string is a valid service id (§2), which is safe in a URL path, a shell and a terminal. The API
 * document specifies UUIDs for some objects and plain text for others (§2.6).
 */
export function isId(text: string): boolean {
  return text.length <= maxLength && /^[\w.~:@+=,-]+$/.test(text) && text !== "." && text !== "..";
}

const maxLength = 255;

/** Description of valid ids, for messages such as "…, which is not an id: ids are …". */
export const idForm = `1 to ${maxLength} letters, digits and . _ ~ : @ + = , - (and not "." or "..")`;

/** Returns whether an id is a UUID of any version. */
export function isUuid(text: string): boolean {
  return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);
}

export const uuidForm = "a UUID: 8-4-4-4-12 hex digits";

/** Lower-cases UUIDs, as the service writes them. Other ids are case-sensitive. */
export function toCanonicalId(id: string): string {
  return isUuid(id) ? id.toLowerCase() : id;
}

/** Returns whether two ids identify the same object. Ignores letter case in UUIDs. */
export function isSameId(one: string | undefined, other: string | undefined): boolean {
  return (
    one === other || (one !== undefined && other !== undefined && toCanonicalId(one) === toCanonicalId(other))
  );
}
