/** Whether what stands in a file is code: it has words, paths and literals of its own ways. */
export function isCode(file: string): boolean {
  return /\.[cm]?[jt]sx?$/i.test(file);
}
