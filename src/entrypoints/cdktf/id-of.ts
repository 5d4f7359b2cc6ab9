/** The id of something referred to by object, or by its id itself. */
export function idOf(reference: string | { readonly id: string }): string {
  return typeof reference === "string" ? reference : reference.id;
}
