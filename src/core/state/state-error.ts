import type { Holder } from "./lock-holder.js";

export type StateErrorCode =
  | "locked" // another run holds the lock
  | "lock-lost" // somebody removed our lock during the run
  | "conflict" // somebody else wrote the state although we hold the lock
  | "unreachable" // the store does not answer
  | "refused" // the store does not let us in
  | "unknown-store" // `state:` names no store that there is
  | "invalid-url" // the URL of a store cannot be parsed, and is not shown
  | "credentials-in-url" // the URL of a store contains what belongs into the environment
  | "not-empty" // the target of a migration holds something else
  | "corrupt" // not what we wrote: cut, edited by hand, or a different file
  | "merge-conflict" // with git's conflict markers
  | "moved" // `state migrate` took it to another store
  | "newer-version" // written by a later avatarops
  | "orphaned-journal" // an interrupted run's journal, based on another state than the one beside it
  | "other-service" // the state belongs to another account's address
  | "other-project" // the state belongs to another project or environment
  | "outside-project" // a link leads out of the project folder
  | "no-permission" // EACCES, EPERM
  | "read-only" // EROFS
  | "disk-full" // ENOSPC, EDQUOT
  | "not-a-file" // a folder, a pipe, a socket or a device
  | "not-a-folder" // a part of the path is a file, or does not exist
  | "unreadable" // any other read error
  | "unwritable" // any other write error
  | "cancelled";

/** The state cannot be used as it is. The message is a complete sentence that says what to do next. */
export class StateError extends Error {
  readonly code: StateErrorCode;
  /** The path or URL of the state, its journal or its lock. */
  readonly file: string;

  /** `at`: path of the wrong value, e.g. `objects["context.support"].id`; `line`: the damaged one, from 1. */
  constructor(
    code: StateErrorCode,
    file: string,
    message: string,
    { cause, ...where }: ErrorOptions & { readonly at?: string; readonly line?: number } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "StateError";
    this.code = code;
    this.file = file;
    Object.assign(this, where);
  }
}

export class LockedError extends StateError {
  /** Undefined if the lock cannot be read. */
  readonly holder: Holder | undefined;

  constructor(file: string, message: string, holder: Holder | undefined) {
    super("locked", file, message);
    this.name = "LockedError";
    this.holder = holder;
  }
}

/**
 * Refuses a file of a later avatarops, which may contain facts that we would lose. What else is wrong with a version, the
 * check of the form reports.
 *
 * @param key Where the file has its version.
 * @throws StateError `newer-version`
 */
export function refuseNewer(file: string, value: unknown, key: "version" | "journal"): void {
  const version: unknown = Object(value)[key];
  if (typeof version !== "number" || !Number.isInteger(version) || version <= 1) return;
  const message = `${file} was written by a newer avatarops (version ${version}); upgrade avatarops to use it.`;
  throw new StateError("newer-version", file, message);
}

type Deed = "read" | "write";

type Refusal = readonly [code: StateErrorCode, advice: string];

const noPermission: Refusal = [
  "no-permission",
  "permission denied. Allow your user to read and write the file and its folder.",
];
const full: Refusal = [
  "disk-full",
  "the disk is full, or your quota used up. Free some space and run the command again; nothing recorded before is lost.",
];
const noFile: Refusal = [
  "not-a-file",
  "it is not a regular file. Remove it, or name another file (`state:` in the manifest, or `--out`).",
];

/** What errors of the system mean to the user, and what to do about them. */
const refusals: Readonly<Record<string, Refusal>> = {
  ...{ EACCES: noPermission, EPERM: noPermission, ENOSPC: full, EDQUOT: full },
  ...{ EISDIR: noFile, folder: noFile, "not-regular": noFile },
  EROFS: [
    "read-only",
    "the disk is read-only. Name a file on another disk (`state:` in the manifest, or `--out`).",
  ],
  ENOENT: ["not-a-folder", "its folder does not exist. Create it, or name another file."],
  ENOTDIR: ["not-a-folder", "a part of its path is a file, not a folder. Correct `state:` in the manifest."],
  ELOOP: ["not-a-file", "its symbolic links form a loop. Replace them with the file."],
};

/** Runs work on files; throws errors of the system as StateError. */
export async function translateErrors<Of>(deed: Deed, file: string, work: () => Promise<Of>): Promise<Of> {
  try {
    return await work();
  } catch (error) {
    throw toFileError(error, deed, file);
  }
}

/** Turns an error of the file system into a StateError; returns other errors unchanged. */
export function toFileError(error: unknown, deed: Deed, file: string): Error {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  // Codes of the system are in capitals; errors of our own say what to do themselves.
  const isOfSystem = typeof code === "string" && (code in refusals || code === code.toUpperCase());
  if (!isOfSystem) return error instanceof Error ? error : new Error(String(error));
  const [meaning, advice] = refusals[code] ?? [
    deed === "read" ? "unreadable" : "unwritable",
    `the system reports ${code}. Check the disk and run the command again.`,
  ];
  return new StateError(meaning, file, `Cannot ${deed} ${file}: ${advice}`, { cause: error });
}
