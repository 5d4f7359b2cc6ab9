import type { Emulator } from "../../src/emulator/index.js";
import type { Write, writes } from "./writes.js";

/** Faults that can occur between planning a write and learning its outcome. */
export const faults = {
  "nothing goes wrong": () => {},
  "429, then answered": toRequest("429 retry-after=0"),
  "response lost before the write": toRequest("drop-before times=always"),
  "response lost after the write": toRequest("drop-after times=always"),
  "500 before the write": toRequest("500 times=always"),
  "500 after the write": toRequest("500-after times=always"),
  "503 page of a proxy with Retry-After, after the write": toRequest(
    "503-after retry-after=0 times=always body=<html>",
  ),
  "unknown envelope code with an object": toRequest(
    `malformed times=always body={"code":7,"message":"ok","data":{"id":"${"1".repeat(8)}"}}`,
  ),
  "response cut": toRequest("cut times=always"),
  "an HTML page as the response": toRequest("malformed times=always body=<html>"),
  "name taken": createNameTaken(() => {}),
  "name taken, list unreadable": createNameTaken((emulator) =>
    emulator.addFault("GET /v1/contexts 500 times=always"),
  ),
  "text changed by the service": (emulator, { change }) => change?.(emulator),
  "response lost, text changed by the service": (emulator, { change, request }) => {
    change?.(emulator);
    emulator.addFault(`${request} drop-after times=always`);
  },
  "object edited meanwhile": (emulator, { edit }) => edit?.(emulator),
  "object gone": (emulator, { remove }) => remove?.(emulator),
} as const satisfies Readonly<Record<string, (emulator: Emulator, write: Write) => void>>;

function toRequest(fault: string) {
  return (emulator: Emulator, write: Write) => emulator.addFault(`${write.request} ${fault}`);
}

/** Creates a fault in which another run takes the name just before the request arrives. */
function createNameTaken(more: (emulator: Emulator) => void) {
  return (emulator: Emulator, { request, takeName }: Write): void => {
    const [method = ""] = request.split(" ");
    emulator.addFault({
      match: { method },
      do: {
        kind: "run",
        run() {
          takeName?.(emulator);
          more(emulator);
        },
      },
    });
  };
}

/** Outcome of a write, and the account's contents after it. */
export type Ending = readonly [outcome: Outcome, account: string];

/** Outcome of a write, in terms shared by the command and the provider. */
export type Outcome =
  | "written"
  /** The response was lost, but a search found the result in the account. */
  | "written, found"
  /** The service stored another value in the named field. */
  | `written, different ${string}`
  | "refused"
  /** The message names the object that has the name. */
  | "refused, holder named"
  /** The object differs from the plan and was not overwritten. */
  | "stale"
  | "gone"
  | "unknown"
  /** The outcome is unknown, and the message names a possible result. */
  | "unknown, candidate named";

/**
 * Returns the expected outcome and account contents for each common fault. `before` and `after` are the contents before
 * and after a successful write. `found` is the outcome if only the response is lost.
 */
const listEndings = (before: string, after: string, found: Outcome = "written, found") =>
  ({
    "nothing goes wrong": ["written", after],
    "429, then answered": ["written", after],
    "response lost before the write": ["unknown", before],
    "response lost after the write": [found, after],
    "500 before the write": ["unknown", before],
    "500 after the write": [found, after],
    "503 page of a proxy with Retry-After, after the write": [found, after],
    "unknown envelope code with an object": [found, after],
    "response cut": [found, after],
    "an HTML page as the response": [found, after],
  }) as const satisfies Partial<Record<keyof typeof faults, Ending>>;

const inPlace = {
  ...listEndings("old", "new"),
  "text changed by the service": ["written, different name", "new"],
  "object edited meanwhile": ["stale", "theirs"],
  "object gone": ["gone", ""],
} as const satisfies Partial<Record<keyof typeof faults, Ending>>;

/** Expected results of creating an object that a search by name finds after a lost response. */
const created = listEndings("", "new");

/** One result for both entry points, or separate results where Terraform must differ. */
export type Endings = Ending | { readonly command: Ending; readonly provider: Ending };

/** Expected result of each write with each fault. Omits impossible combinations. */
export const endings: Readonly<
  Record<keyof typeof writes, Readonly<Partial<Record<keyof typeof faults, Endings>>>>
> = {
  "context create": {
    ...created,
    "name taken": ["refused, holder named", "theirs"],
    "name taken, list unreadable": ["refused", "theirs"],
    "text changed by the service": ["written, different prompt", "ne"],
    "response lost, text changed by the service": ["unknown, candidate named", "ne"],
  },
  "context update": {
    ...inPlace,
    "name taken": ["refused, holder named", "old, theirs"],
    "name taken, list unreadable": ["refused", "old, theirs"],
    "text changed by the service": ["written, different prompt", "ne"],
    "response lost, text changed by the service": ["unknown", "ne"],
  },
  "avatar rename": inPlace,
  "voice rename": inPlace,
  "voice rename, with a list": inPlace,
  // A secret cannot be looked up, so only the user can resolve a lost response.
  "secret create": listEndings("", "new", "unknown"),
  "secret rotate": listEndings("old", "old, new", "unknown"),
  "llm_configuration create": created,
  "llm_configuration update": {
    ...inPlace,
    "text changed by the service": ["written, different model_name", "new"],
  },
  "adoption with differences": {
    ...inPlace,
    // On apply, Terraform plans a create again and ignores the earlier plan.
    "object edited meanwhile": { command: ["stale", "theirs"], provider: ["written", "new"] },
  },
};
