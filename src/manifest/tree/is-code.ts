/** Whether a file is code, which has its own names for fields, paths and literals. */
export function isCode(file: string): boolean {
  return /\.[cm]?[jt]sx?$/i.test(file);
}
