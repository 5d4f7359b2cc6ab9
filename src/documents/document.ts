/**
 * The head of every document: what it is, and which version of that. A version grows when a key changes its
 * meaning or goes; new keys may come at any time, so readers must ignore those they do not know.
 */
export interface Head<Format extends string> {
  readonly format: `avatarops/${Format}`;
  readonly version: 1;
}

/** Starts a document; the head's keys come first. */
export function head<Format extends string>(format: Format): Head<Format> {
  return { format: `avatarops/${format}`, version: 1 };
}

/** `{ [key]: value }`, or nothing where there is no value: absent keys are left out, never null. */
export function given<Key extends string, Given>(
  key: Key,
  value: Given | undefined,
): { readonly [K in Key]?: Given } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [K in Key]: Given });
}
