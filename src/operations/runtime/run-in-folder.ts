import { UsageError } from "../../base/diagnostics/index.js";

/** Runs work that writes into a folder chosen by the user. Converts system errors to messages. */
export async function runInFolder<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const why = refusals[(error as NodeJS.ErrnoException).code ?? ""];
    if (why === undefined) throw error;
    throw new UsageError("unwritable", `Cannot write into ${folder}: ${why}.`);
  }
}

const noFolder = "the path, or a part of it, is a file. Choose another folder";
const noPermission = "permission denied. Allow your user to write there, or choose another folder";
const full = "the disk is full. Free some space, and re-run the command";

/** Explanations by Node's error code. */
const refusals: Readonly<Record<string, string>> = {
  ENOTDIR: noFolder,
  EEXIST: noFolder,
  ENOENT: "a part of its path does not exist. Choose another folder",
  EACCES: noPermission,
  EPERM: noPermission,
  EROFS: "the disk is read-only. Choose another folder",
  ENOSPC: full,
  EDQUOT: full,
};
