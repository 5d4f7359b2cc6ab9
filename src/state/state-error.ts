import type { Holder } from "./lock-holder.js";

/** What went wrong with the state, for programs. */
export type StateErrorCode =
  | "locked" // another run holds the lock
  | "lock-lost" // somebody removed our lock while we worked
  | "corrupt" // not what we wrote: cut, edited by hand, or another file altogether
  | "merge-conflict" // git left its markers in it
  | "newer-version" // written by a later avatarops
  | "orphaned-journal" // an interrupted run's journal belongs to another state than the one beside it
  | "other-service" // the state belongs to another account's address
  | "outside-project" // a link leads out of the project folder
  | "no-permission" // EACCES, EPERM
  | "read-only" // EROFS
  | "disk-full" // ENOSPC, EDQUOT
  | "not-a-file" // a folder, a pipe, a socket or a device
  | "not-a-folder" // a part of the path is a file, or is not there
  | "unreadable" // any other refusal to read
  | "unwritable" // any other refusal to write
  | "cancelled";

/** The state cannot be used as it is. The message is a whole sentence that says what to do next. */
export class StateError extends Error {
  readonly code: StateErrorCode;
  /** The file meant: the state, its journal or its lock. */
  readonly file: string;

  constructor(code: StateErrorCode, file: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "StateError";
    this.code = code;
    this.file = file;
  }
}

/** Another run holds the lock. */
export class LockedError extends StateError {
  /** Undefined where the lock file cannot be read yet: it is just being written. */
  readonly holder: Holder | undefined;

  constructor(file: string, message: string, holder: Holder | undefined) {
    super("locked", file, message);
    this.name = "LockedError";
    this.holder = holder;
  }
}

/** A file of ours does not hold what we write into it. */
export class CorruptError extends StateError {
  /** Path of the wrong value, e.g. `objects["context.support"].id`. */
  readonly at: string | undefined;
  /** 1-based line, where one line is to blame. */
  readonly line: number | undefined;

  constructor(file: string, message: string, where: { at?: string; line?: number } = {}) {
    super("corrupt", file, message);
    this.name = "CorruptError";
    this.at = where.at;
    this.line = where.line;
  }
}

type Deed = "read" | "write";

type Refusal = readonly [code: StateErrorCode, advice: string];

const aFolder: Refusal = [
  "not-a-file",
  "it is a folder. Name a file (`state:` in the manifest, or `--out`).",
];

/** What the system's refusals mean to the user, and what to do about each. */
const refusals: Readonly<Record<string, Refusal>> = {
  EACCES: ["no-permission", "permission denied. Let your user read and write the file and its folder."],
  EPERM: [
    "no-permission",
    "the system does not permit it. Let your user read and write the file and its folder.",
  ],
  EROFS: [
    "read-only",
    "the disk is read-only. Put the state where it can be written (`state:` in the manifest).",
  ],
  ENOSPC: [
    "disk-full",
    "the disk is full. Make room and run the command again; nothing recorded before is lost.",
  ],
  EDQUOT: [
    "disk-full",
    "your disk quota is used up. Make room and run the command again; nothing recorded before is lost.",
  ],
  ENOENT: ["not-a-folder", "its folder does not exist. Make it, or name another file."],
  EISDIR: aFolder,
  folder: aFolder,
  "not-regular": [
    "not-a-file",
    "it is no regular file, but a pipe, a socket or a device. Remove it, or name another file.",
  ],
  ENOTDIR: ["not-a-folder", "a part of its path is a file, not a folder. Correct `state:` in the manifest."],
  ELOOP: ["not-a-file", "its symbolic links lead in a circle. Replace them by the file."],
};

/** Does work on files; what the system refuses, and nobody said better before, is thrown as a StateError. */
export async function translating<Of>(deed: Deed, file: string, work: () => Promise<Of>): Promise<Of> {
  try {
    return await work();
  } catch (error) {
    throw refusalOf(error, deed, file);
  }
}

/** Turns a refusal of the file system into a StateError; errors that are none are handed back as they are. */
export function refusalOf(error: unknown, deed: Deed, file: string): Error {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (error instanceof StateError || typeof code !== "string") {
    return error instanceof Error ? error : new Error(String(error));
  }
  const [meaning, advice] = refusals[code] ?? [
    deed === "read" ? "unreadable" : "unwritable",
    `the system says ${code}. Look at the disk and run the command again.`,
  ];
  return new StateError(meaning, file, `Cannot ${deed} ${file}: ${advice}`, error);
}
