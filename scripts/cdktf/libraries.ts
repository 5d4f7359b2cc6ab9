/**
 * What each library makes of a source that is written against `cdktn`, or of its declarations. HashiCorp archived CDKTF, and CDK
 * Terrain continues it under another name.
 */
export const libraries = { cdktn: (text: string) => text, cdktf: forCdktf };
export type Library = keyof typeof libraries;

/** Another name; and what CDKTF lacks is ours, except the mark that checks the version of Terraform. */
function forCdktf(text: string): string {
  const polyfilled = text.replace(/\bcdktn\.(?=TerraformProviderFunction)/g, "polyfill.");
  const imported =
    polyfilled === text ? text : `import * as polyfill from "../../../cdktf-polyfill.js";\n${polyfilled}`;
  return imported
    .replaceAll("this.markWriteOnlyAttribute(", "(")
    .replaceAll("cdktn", "cdktf")
    .replaceAll("CDKTN", "CDKTF");
}
