/**
 * The shape of every id the service gives (§2), whoever reads it: an answer, a state, a command line. Ids are UUIDs of
 * any version where the document says so, and plain texts elsewhere (§2.6). One that passes is a segment of a path as
 * it stands, and nothing to a shell or a terminal.
 */
export function isId(text: string): boolean {
  return text.length <= longest && /^[\w.~:@+=,-]+$/.test(text) && text !== "." && text !== "..";
}

/** UTF-16 code units. */
const longest = 255;

/** What isId asks for, as in "…, which is not an id: ids are …". */
export const idForm = `1 to ${longest} letters, digits and . _ ~ : @ + = , - (and not "." or "..")`;
