/** What docs/cdktf.md has for CDK Terrain, as it says that it is to be written for CDKTF. */
export function inCdktf(text: string): string {
  return text.replaceAll("cdktn", "cdktf");
}
