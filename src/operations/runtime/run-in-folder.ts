import { UsageError } from "../../base/diagnostics/index.js";

/** Runs work that writes into a folder named by the user. Converts system errors to messages. */
export async function runInFolder<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const why = refusals[(error as NodeJS.ErrnoException).code ?? ""];
    if (why === undefined) throw error;
    throw new UsageError("unwritable", `Cannot write into ${folder}: ${why}.`);
  }
}

const noFolder = "it, or a part of its path, is a file. Name another folder";
const noPermission = "permission denied. Allow your user to write there, or name another folder";
const full = "the disk is full. Free some space, and run the command again";

/** Keyed by the codes of Node's errors. */
const refusals: Readonly<Record<string, string>> = {
  ENOTDIR: noFolder,
  EEXIST: noFolder,
  ENOENT: "a part of its path does not exist. Name another folder",
  EACCES: noPermission,
  EPERM: noPermission,
  EROFS: "the disk is read-only. Name another folder",
  ENOSPC: full,
  EDQUOT: full,
};
