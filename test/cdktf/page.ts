const inCdktf = (text: string) => text.replaceAll("cdktn", "cdktf");

/** Both libraries, and what docs/cdktf.md and examples have for CDK Terrain, as they say that it is to be written for the other. */
export const writtenFor = [
  ["cdktn", (text: string) => text],
  ["cdktf", inCdktf],
] as const;
