const inCdktf = (text: string) => text.replaceAll("cdktn", "cdktf");

/** Converts lines of docs/cdktf.md and examples for CDK Terrain to each library, as the page explains. */
export const writtenFor = [
  ["cdktn", (text: string) => text],
  ["cdktf", inCdktf],
] as const;
