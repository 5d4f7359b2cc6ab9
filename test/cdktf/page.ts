const convertToCdktf = (text: string) => text.replaceAll("cdktn", "cdktf");

/** Converts the CDK Terrain lines of docs/cdktf.md and of examples to each library, as the page explains. */
export const writtenFor = [
  ["cdktn", (text: string) => text],
  ["cdktf", convertToCdktf],
] as const;
