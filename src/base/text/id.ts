/**
 * The format of every id of the service (§2), wherever it is read: an answer, a state, a command line. Ids
 * are UUIDs of any version where the document says so, and plain texts elsewhere (§2.6). A valid id is a path
 * segment as it is, and harmless to a shell or a terminal.
 */
export function isId(text: string): boolean {
  return text.length <= longest && /^[\w.~:@+=,-]+$/.test(text) && text !== "." && text !== "..";
}

/** UTF-16 code units. */
const longest = 255;

/** What isId accepts, as in "…, which is not an id: ids are …". */
export const idForm = `1 to ${longest} letters, digits and . _ ~ : @ + = , - (and not "." or "..")`;

/** Whether an id is a UUID of any version. */
export function isUuid(text: string): boolean {
  return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);
}

/** What isUuid accepts. */
export const uuidForm = "a UUID: 8-4-4-4-12 hex digits";

/** The id as the service writes it: UUIDs are equal in upper and lower case, other ids are not. */
export function canonicalId(id: string): string {
  return isUuid(id) ? id.toLowerCase() : id;
}
