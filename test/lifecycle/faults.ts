import type { Emulator } from "../../src/emulator/index.js";
import type { Write, writes } from "./writes.js";

/** What goes wrong between the plan of a write and its end. */
export const faults = {
  "nothing goes wrong": () => {},
  "429, then answered": request("429 retry-after=0"),
  "answer lost before the write": request("drop-before times=always"),
  "answer lost after the write": request("drop-after times=always"),
  "500 before the write": request("500 times=always"),
  "500 after the write": request("500-after times=always"),
  "answer cut": request("cut times=always"),
  "a page of HTML as the answer": request("malformed times=always body=<html>"),
  "name taken": nameTaken(() => {}),
  "name taken, list unreadable": nameTaken((emulator) =>
    emulator.addFault("GET /v1/contexts 500 times=always"),
  ),
  "text changed by the service": (emulator, { change }) => change?.(emulator),
  "answer lost, text changed by the service": (emulator, { change, request }) => {
    change?.(emulator);
    emulator.addFault(`${request} drop-after times=always`);
  },
  "object edited meanwhile": (emulator, { edit }) => edit?.(emulator),
  "object gone": (emulator, { remove }) => remove?.(emulator),
} as const satisfies Readonly<Record<string, (emulator: Emulator, write: Write) => void>>;

function request(fault: string) {
  return (emulator: Emulator, write: Write) => emulator.addFault(`${write.request} ${fault}`);
}

/** Somebody is quicker by a moment: when the request arrives, the name is taken. */
function nameTaken(more: (emulator: Emulator) => void) {
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

/** How a write ends, and what the account has then. */
export type Ending = readonly [outcome: Outcome, account: string];

/** How a write ends, told alike by the command and by the provider. */
export type Outcome =
  | "written"
  /** The response was lost, but the result was found in the account. */
  | "written, found"
  /** The field that is named is not what was sent. */
  | `written, different ${string}`
  | "refused"
  /** Who has the name is said. */
  | "refused, holder named"
  /** Not written over: it is not the object of the plan. */
  | "stale"
  | "gone"
  | "unknown"
  /** What may be the object is named. */
  | "unknown, candidate named";

/** What the account has before and after the write, and what is known where only its answer was lost. */
const answered = (before: string, after: string, found: Outcome = "written, found") =>
  ({
    "nothing goes wrong": ["written", after],
    "429, then answered": ["written", after],
    "answer lost before the write": ["unknown", before],
    "answer lost after the write": [found, after],
    "500 before the write": ["unknown", before],
    "500 after the write": [found, after],
    "answer cut": [found, after],
    "a page of HTML as the answer": [found, after],
  }) as const satisfies Partial<Record<keyof typeof faults, Ending>>;

const inPlace = {
  ...answered("old", "new"),
  "text changed by the service": ["written, different name", "new"],
  "object edited meanwhile": ["stale", "theirs"],
  "object gone": ["gone", ""],
} as const satisfies Partial<Record<keyof typeof faults, Ending>>;

/** Found by its name where the answer is lost, and no name is taken. */
const created = answered("", "new");

/** The one ending of both doors; apart only where Terraform leaves the provider no choice. */
export type Endings = Ending | { readonly command: Ending; readonly provider: Ending };

/** How each write ends with each fault, whichever door it goes through. What cannot happen to a write is left out. */
export const endings: Readonly<
  Record<keyof typeof writes, Readonly<Partial<Record<keyof typeof faults, Endings>>>>
> = {
  "context create": {
    ...created,
    "name taken": ["refused, holder named", "theirs"],
    "name taken, list unreadable": ["refused", "theirs"],
    "text changed by the service": ["written, different prompt", "ne"],
    "answer lost, text changed by the service": ["unknown, candidate named", "ne"],
  },
  "context update": {
    ...inPlace,
    "name taken": ["refused, holder named", "old, theirs"],
    "name taken, list unreadable": ["refused", "old, theirs"],
    "text changed by the service": ["written, different prompt", "ne"],
    "answer lost, text changed by the service": ["unknown", "ne"],
  },
  "avatar rename": inPlace,
  "voice rename": inPlace,
  "voice rename, with a list": inPlace,
  // It cannot be looked up: where the answer is lost, only the user can find out.
  "secret create": answered("", "new", "unknown"),
  "secret rotate": answered("old", "old, new", "unknown"),
  "llm_configuration create": created,
  "llm_configuration update": {
    ...inPlace,
    "text changed by the service": ["written, different model_name", "new"],
  },
  "adoption with differences": {
    ...inPlace,
    // Terraform plans a create once more when it applies, and gives that plan nothing of the one before.
    "object edited meanwhile": { command: ["stale", "theirs"], provider: ["written", "new"] },
  },
};
