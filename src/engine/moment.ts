/**
 * A moment the service wrote, in ms; NaN where it is none.
 *
 * Assumed: a time without a zone is in UTC, as the document says of avatars (§2.3). Read as local time it would be hours off.
 */
export function momentOf(text: string | undefined): number {
  const isZoned = /(z|[+-]\d\d:?\d\d)$/i.test(text ?? "");
  return Date.parse(isZoned ? (text ?? "") : `${text}Z`);
}
