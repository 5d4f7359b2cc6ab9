/**
 * The scheme of a location that is a URL, such as `s3`; undefined if it is a path. One letter is a drive of Windows.
 */
export function schemeOf(location: string): string | undefined {
  return /^([a-z][a-z0-9+.-]+):\/\//i.exec(location)?.[1]?.toLowerCase();
}
