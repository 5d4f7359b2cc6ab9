/**
 * Converts source or declaration files written against `cdktn` to each library. HashiCorp archived CDKTF, and CDK
 * Terrain continues it under another name.
 */
export const libraries = { cdktn: (text: string) => text, cdktf: convertForCdktf };
export type Library = keyof typeof libraries;

/** Renames the library, and removes the Terraform version check, which CDKTF lacks. */
function convertForCdktf(text: string): string {
  return text
    .replaceAll("this.markWriteOnlyAttribute(", "(")
    .replaceAll("cdktn", "cdktf")
    .replaceAll("CDKTN", "CDKTF");
}
