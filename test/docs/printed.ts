/** Returns the lines of text in a picture of a terminal. */
export function linesIn(svg: string): string[] {
  return Array.from(svg.matchAll(/<text [^>]*>(.*?)<\/text>/g), ([, line = ""]) =>
    line
      .replace(/<[^>]*>/g, "")
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&amp;", "&"),
  );
}

/** Removes what differs between runs: ids and the port. */
export function alike(text: string): string {
  return text.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID").replace(/127\.0\.0\.1:\d+/, "HOST");
}
