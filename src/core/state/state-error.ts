import type { Holder } from "./lock-holder.js";

export type StateErrorCode =
  | "locked" // another run owns the lock
  | "lock-lost" // our lock was removed during the run
  | "conflict" // another program wrote the state although we own the lock
  | "unreachable" // the store does not respond
  | "refused" // the store denies access
  | "unknown-store" // `state:` names an unknown store
  | "invalid-url" // the store URL cannot be parsed, and is not shown
  | "credentials-in-url" // the store URL contains credentials, which belong in the environment
  | "not-empty" // the target of a migration has other content
  | "corrupt" // truncated, edited by hand, or a different file
  | "merge-conflict" // contains git conflict markers
  | "moved" // `state migrate` moved it to another store
  | "newer-version" // written by a newer avatarops
  | "orphaned-journal" // an interrupted run's journal, based on another state
  | "other-service" // the state belongs to another base URL
  | "other-project" // the state belongs to another project or environment
  | "outside-project" // a symlink leads out of the project folder
  | "no-permission" // EACCES, EPERM
  | "read-only-disk" // EROFS
  | "disk-full" // ENOSPC, EDQUOT
  | "not-a-file" // a folder, a pipe, a socket or a device
  | "not-a-folder" // part of the path is a file or does not exist
  | "unreadable" // any other read error
  | "unwritable" // any other write error
  | "cancelled";

/** Problem with the state or its store. The message includes what to do next. */
export class StateError extends Error {
  readonly code: StateErrorCode;
  /** Path or URL of the state, journal or lock. */
  readonly file: string;

  /**
   * `at` is the path to the invalid value, such as `objects["context.support"].id`. `line` is the damaged line, from 1.
   */
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
  /** Lock owner, or undefined if the lock is unreadable. */
  readonly holder: Holder | undefined;

  constructor(file: string, message: string, holder: Holder | undefined) {
    super("locked", file, message);
    this.name = "LockedError";
    this.holder = holder;
  }
}

/**
 * Rejects a file from a newer avatarops, because its unknown fields would be lost. The schema check reports other
 * invalid versions.
 *
 * @param key Key of the file version.
 * @throws StateError `newer-version`
 */
export function assertNotNewer(file: string, value: unknown, key: "version" | "journal"): void {
  const version: unknown = Object(value)[key];
  if (typeof version !== "number" || !Number.isInteger(version) || version <= 1) return;
  const message = `${file} was written by a newer version of avatarops (format ${version}). Upgrade avatarops to use it.`;
  throw new StateError("newer-version", file, message);
}

type StoreOperation = "read" | "write";

type StateRefusal = readonly [code: StateErrorCode, advice: string];

const nameAnother = "choose another location (`state:` in the manifest, `AVATAROPS_STATE`, or `--out`)";
const noPermission: StateRefusal = [
  "no-permission",
  `permission denied. Allow your user to read and write the file and its folder, or ${nameAnother}.`,
];
const full: StateRefusal = [
  "disk-full",
  "the disk is full or your quota is used up. Free some space and run the command again. Earlier records are safe.",
];
const notRegular: StateRefusal = [
  "not-a-file",
  "it is not a regular file. Remove it, or choose another file (`state:` in the manifest, or `--out`).",
];

/** Codes and advice for system errors. */
const refusals: Readonly<Record<string, StateRefusal>> = {
  ...{ EACCES: noPermission, EPERM: noPermission, ENOSPC: full, EDQUOT: full },
  ...{ EISDIR: notRegular, folder: notRegular, "not-regular": notRegular },
  EROFS: ["read-only-disk", `the disk is read-only. Make it writable, or ${nameAnother}.`],
  ENOENT: ["not-a-folder", "its folder does not exist. Create it, or choose another file."],
  ENOTDIR: ["not-a-folder", "a part of its path is a file, not a folder. Correct `state:` in the manifest."],
  ELOOP: ["not-a-file", "its symlinks form a loop. Replace them with the file."],
};

/** Runs work on files, and converts system errors to StateErrors. */
export async function translateErrors<Of>(
  operation: StoreOperation,
  file: string,
  work: () => Promise<Of>,
): Promise<Of> {
  try {
    return await work();
  } catch (error) {
    throw toFileError(error, operation, file);
  }
}

/** Converts a file system error to a StateError. Returns other errors unchanged. */
export function toFileError(error: unknown, operation: StoreOperation, file: string): Error {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  // System error codes are in capitals. Our own errors already include advice.
  const isSystemCode = typeof code === "string" && (code in refusals || code === code.toUpperCase());
  if (!isSystemCode) return error instanceof Error ? error : new Error(String(error));
  const [meaning, advice] = refusals[code] ?? [
    operation === "read" ? "unreadable" : "unwritable",
    `the system reported ${code}. Check the disk and run the command again.`,
  ];
  return new StateError(meaning, file, `Cannot ${operation} ${file}: ${advice}`, { cause: error });
}
