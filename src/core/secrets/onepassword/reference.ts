/** The parts of a secret reference, each a name or an ID. */
export interface Reference {
  readonly vault: string;
  readonly item: string;
  readonly section?: string | undefined;
  readonly field: string;
  /** After the question mark: what `op` does with the field, such as `attribute=otp`. */
  readonly query?: string | undefined;
}

/** Without quotes and backslashes, which would end a filter of Connect. */
const name = /^[\p{L}\p{N} ._-]+$/u;

/** https://developer.1password.com/docs/cli/secret-reference-syntax */
export function referenceIn(written: string): Reference | undefined {
  const [, path, query] = /^op:\/\/([^?]+)(?:\?([a-z=&-]+))?$/.exec(written) ?? [];
  const parts = path?.split("/") ?? [];
  if (parts.length < 3 || parts.length > 4 || !parts.every((part) => name.test(part))) return undefined;
  const [vault = "", item = "", third = "", fourth] = parts;
  return {
    vault,
    item,
    ...(fourth === undefined ? { field: third } : { section: third, field: fourth }),
    query,
  };
}
