/**
 * What each library makes of a source that is written against `cdktn`, or of its declarations. HashiCorp archived CDKTF, and CDK
 * Terrain continues it under another name.
 */
export const libraries = { cdktn: (text: string) => text, cdktf: forCdktf };
export type Library = keyof typeof libraries;

/** Another name, without the mark that checks the version of Terraform, which CDKTF lacks. */
function forCdktf(text: string): string {
  return text
    .replaceAll("this.markWriteOnlyAttribute(", "(")
    .replaceAll("cdktn", "cdktf")
    .replaceAll("CDKTN", "CDKTF");
}
