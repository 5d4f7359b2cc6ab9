/** The address of a server, without a final slash; undefined if it is none, or has credentials or a query. */
export function parseServerAddress(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url && `${url.username}${url.password}${url.search}${url.hash}` === "";
  return isPlain && /^https?:$/.test(url.protocol) ? url.href.replace(/\/$/, "") : undefined;
}
