/** Returns the text lines in a terminal screenshot (SVG). */
export function readLines(svg: string): string[] {
  return Array.from(svg.matchAll(/<text [^>]*>(.*?)<\/text>/g), ([, line = ""]) =>
    line
      .replace(/<[^>]*>/g, "")
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&amp;", "&"),
  );
}

/** Replaces ids and the port, which differ between runs. */
export function replaceVaryingParts(text: string): string {
  return text.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID").replace(/127\.0\.0\.1:\d+/, "HOST");
}
