import type { Holder } from "../lock-holder.js";
import { StateError } from "../state-error.js";
import type { Hold, NextTexts, StoredTexts, StoreNames } from "../state-store.js";
import { type NewCommit, writeCommit } from "./git-commits.js";
import type { GitFolder } from "./git-folder.js";
import { type GitRemote, NotAtomicError, type Refs, type RefUpdate } from "./git-remote.js";
import {
  holderFile,
  journalFolder,
  type LockCommit,
  noHolder,
  readRefs,
  recordFile,
  stateFile,
} from "./git-texts.js";

/** What a hold works with. */
interface GitHoldInput {
  readonly mine: Holder;
  readonly names: StoreNames;
  readonly folder: GitFolder;
  readonly remote: GitRemote;
  readonly now: () => number;
}

/** What a commit of the state says. */
interface Texts {
  readonly state?: string | undefined;
  readonly record?: string | undefined;
}

/** The lock of a state in git; see git.ts. */
export class GitHold implements Hold {
  readonly #input: GitHoldInput;
  /** What the lock's ref points to, as far as we know. */
  #lock: LockCommit;
  /** The same of the state's ref; undefined until it was read. */
  #state: string | undefined;
  /** What it says; undefined until it was read. */
  #stored: Texts | undefined;
  /** The parent of the next commit of the state: the last one whose arrival is certain. */
  #parent: string | undefined;
  /** Commits of the state that were pushed since, whose responses were lost. */
  readonly #unconfirmed = new Map<string, Texts>();
  #isAtomic = true;

  constructor(input: GitHoldInput, lock: LockCommit) {
    this.#input = input;
    this.#lock = lock;
  }

  async read(): Promise<StoredTexts> {
    const { folder, remote } = this.#input;
    const { state, record, lock, commit } = await readRefs(folder, remote, "both");
    this.#lock = this.#ours(lock);
    this.#confirm(commit, { state, record });
    return { state, journal: this.#lock.journal };
  }

  async append(lines: readonly string[]): Promise<void> {
    const { journal = "", appends } = this.#lock;
    const text = lines.map((line) => `${line}\n`).join("");
    const file = `${journalFolder}/${String(appends + 1).padStart(6, "0")}`;
    // Nobody but us appends, one after the other: if it has moved, it is not our lock any more.
    if (await this.#moveLock({ [file]: text })) throw this.#lockLost();
    this.#lock = { ...this.#lock, journal: journal + text, appends: appends + 1 };
  }

  async commit(next: NextTexts): Promise<void> {
    const isNothing = next.state === undefined && next.record === undefined;
    if (isNothing && this.#lock.journal === undefined) return;
    if (!this.#stored) await this.read();
    let isPending = !isNothing && !isStored(next, this.#stored);
    // More than once only if a response was lost for good before: then the first push finds out what arrived.
    for (let tries = 1; tries <= 3; tries++) {
      const now = isPending ? await this.#write(next) : await this.#removeJournal();
      if (!now) return;
      isPending = (await this.#adopt(now, next)) && isPending;
    }
    throw this.#conflict();
  }

  /** Moves both refs; returns them as they are if somebody else, or an earlier push of ours, has moved one. */
  async #write(next: NextTexts): Promise<Refs | undefined> {
    const id = await this.#writeState(next);
    this.#unconfirmed.set(id, next);
    const state: RefUpdate = { ref: "state", from: this.#state, to: id };
    const now = this.#isAtomic ? await this.#together(state) : await this.#inTurn(state);
    if (!now) this.#confirm(id, next);
    return now;
  }

  async #together(state: RefUpdate): Promise<Refs | undefined> {
    try {
      return await this.#moveLock({ [journalFolder]: undefined }, state);
    } catch (error) {
      if (!(error instanceof NotAtomicError)) throw error;
      this.#isAtomic = false;
      return this.#inTurn(state);
    }
  }

  /** For servers that cannot move two refs at once: proves that the lock is ours, then writes. */
  async #inTurn(state: RefUpdate): Promise<Refs | undefined> {
    return (
      (await this.#moveLock({})) ?? (await this.#input.remote.move(state)) ?? (await this.#removeJournal())
    );
  }

  async #removeJournal(): Promise<Refs | undefined> {
    return this.#lock.journal === undefined ? undefined : this.#moveLock({ [journalFolder]: undefined });
  }

  /**
   * Takes over what an earlier push of ours did, whose response was lost. Returns whether the texts are still to be
   * written.
   *
   * @throws StateError `lock-lost`, `conflict` if it was somebody else.
   */
  async #adopt(now: Refs, next: NextTexts): Promise<boolean> {
    const { folder, remote } = this.#input;
    this.#lock = this.#ours((await readRefs(folder, remote, "lock", now)).lock);
    if (now.state === this.#state) return true;
    const arrived = now.state === undefined ? undefined : this.#unconfirmed.get(now.state);
    if (!arrived) throw this.#conflict();
    // Nobody was told of it yet: other texts take its place, so that each apply is one commit.
    this.#state = now.state;
    if (!isStored(next, arrived)) return true;
    this.#confirm(now.state, next);
    return false;
  }

  #confirm(commit: string | undefined, { state = this.#stored?.state, record }: Texts): void {
    this.#state = commit;
    this.#parent = commit;
    this.#stored = { state, record };
    this.#unconfirmed.clear();
  }

  async release(): Promise<void> {
    const { mine, folder, remote } = this.#input;
    const now =
      this.#lock.journal === undefined
        ? await remote.move({ ref: "lock", from: this.#lock.id, to: undefined })
        : await this.#moveLock({ [holderFile]: noHolder });
    if (!now) return;
    const { lock } = await readRefs(folder, remote, "lock", now);
    // Somebody removed our lock: there is nothing to release.
    if (lock?.holder?.id !== mine.id) return;
    this.#lock = lock;
    await this.release();
  }

  /** Moves the lock's ref to a commit with these files changed; with it, all or none, another ref. */
  async #moveLock(files: NewCommit["files"], ...others: readonly RefUpdate[]): Promise<Refs | undefined> {
    const { mine, folder, remote, now } = this.#input;
    const message = `Held by ${mine.command} on ${mine.host}\n`;
    const id = await writeCommit(folder, { parent: this.#lock.id, files, message, at: now() });
    const moved = await remote.move({ ref: "lock", from: this.#lock.id, to: id }, ...others);
    if (moved) return moved;
    this.#lock = { ...this.#lock, id };
    if (journalFolder in files) this.#lock = { ...this.#lock, journal: undefined, appends: 0 };
    return undefined;
  }

  #writeState({ state, record }: NextTexts): Promise<string> {
    const { mine, folder, now } = this.#input;
    const files = { ...(state === undefined ? {} : { [stateFile]: state }), [recordFile]: record };
    return writeCommit(folder, {
      parent: this.#parent,
      files,
      message: commitMessage(record, mine),
      at: now(),
    });
  }

  /** @throws StateError `lock-lost` if it is not ours. */
  #ours(lock: LockCommit | undefined): LockCommit {
    if (lock?.holder?.id !== this.#input.mine.id) throw this.#lockLost();
    return lock;
  }

  #lockLost(): StateError {
    const { names } = this.#input;
    return new StateError(
      "lock-lost",
      names.lock,
      `Somebody removed our lock ${names.lock} during the run, so ${names.state} was not written. What was done stays in ` +
        "its journal; the next run continues from there.",
    );
  }

  #conflict(): StateError {
    const { names } = this.#input;
    return new StateError(
      "conflict",
      names.state,
      `Somebody else pushed to ${names.state} although we hold its lock, so it was not written. What was done stays in the ` +
        `journal. Find out who pushed: ${names.restore}.`,
    );
  }
}

/** Whether a commit was made already, so that a record that is stored twice is there once. */
function isStored({ state, record }: NextTexts, stored: Texts | undefined): boolean {
  return (state === undefined || state === stored?.state) && record === stored?.record;
}

/** For people who look at the ref with git: what the record says of itself, by whom. */
function commitMessage(record: string | undefined, { command, host }: Holder): string {
  const summary = summaryIn(record);
  return `${summary ?? command}\n${summary ? `\n${command}` : ""}\nHost: ${host}\n`;
}

function summaryIn(record: string | undefined): string | undefined {
  try {
    const { summary } = JSON.parse(record ?? "") as { readonly summary?: unknown };
    return typeof summary === "string" ? summary.replace(/[\p{Cc}\p{Cf}]+/gu, " ").slice(0, 200) : undefined;
  } catch {
    return undefined;
  }
}
