import { UsageError } from "./failure.js";

/** Does work in a folder the user named; what the system refuses there is said in a sentence. */
export async function inFolder<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const why = refusals[(error as NodeJS.ErrnoException).code ?? ""];
    if (why === undefined) throw error;
    throw new UsageError("unwritable", `Cannot write into ${folder}: ${why}.`);
  }
}

const noFolder = "it, or a part of its path, is a file. Name another folder";
const noPermission = "permission denied. Let your user write there, or name another folder";
const full = "the disk is full. Make room, and run the command again";

/** By the codes of Node's errors. */
const refusals: Readonly<Record<string, string>> = {
  ENOTDIR: noFolder,
  EEXIST: noFolder,
  // What Node makes of a folder it may not make on a read-only disk.
  ENOENT: "it cannot be made there. Name another folder",
  EACCES: noPermission,
  EPERM: noPermission,
  EROFS: "the disk is read-only. Name another folder",
  ENOSPC: full,
  EDQUOT: full,
};
