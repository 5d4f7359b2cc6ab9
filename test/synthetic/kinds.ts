/** Kinds that no service has, with the powers that kinds have. */
import {
  type Field,
  isOffered,
  type Kind,
  kinds,
  kindsWith,
  type Live,
  profileNames,
  writeOnlyFields,
} from "../../src/core/kinds/index.js";

/** Makes kinds known. What is derived from the kinds (schemas, commands) knows those that are there when it is loaded. */
export function register(...added: readonly Kind[]): void {
  if (process.env.AVATAROPS_TEST_PROCESS !== "alone")
    throw new Error("Kinds stay known to the whole process: name this file in `alone`, vitest.config.ts.");
  (kinds as Kind[]).push(...added);
}

/** Which powers a kind has. */
export interface Powers {
  readonly identity: Kind["identity"];
  readonly read: boolean;
  readonly list?: { readonly whole: boolean; readonly exhaustive: boolean } | undefined;
  readonly update: boolean;
  readonly writeOnly: boolean;
  readonly remove: boolean;
}

/** The powers of the service's kinds, with each profile and without, and two that nearly are such kinds. */
export const combinations: readonly Powers[] = [
  ...[undefined, ...profileNames].flatMap(kindsWith).filter(isOffered).map(powersOf),
  // A value that an update can change, and an object that can be deleted but never be seen.
  {
    ...{ identity: "created", read: true, list: { whole: false, exhaustive: true } },
    ...{ update: true, writeOnly: true, remove: true },
  },
  { identity: "created", read: false, update: false, writeOnly: true, remove: true },
];

function powersOf(kind: Kind): Powers {
  const { identity, list } = kind;
  const writeOnly = writeOnlyFields(kind).length > 0;
  return { identity, list, read: !!kind.read, update: !!kind.update, writeOnly, remove: !!kind.remove };
}

/** "created read list-whole update write-only" */
export function inWords({ identity, read, list, update, writeOnly, remove }: Powers): string {
  return [
    identity,
    ...(read ? ["read"] : []),
    ...(list ? [`list${list.whole ? "-whole" : ""}${list.exhaustive ? "-exhaustive" : ""}`] : []),
    ...(update ? ["update"] : []),
    ...(writeOnly ? ["write-only"] : []),
    ...(remove ? ["remove"] : []),
  ].join(" ");
}

/** A kind with these powers, to be planned with: none of its functions is called. */
export function kindWith(powers: Powers, name: string): Kind {
  const uncalled = async (): Promise<Live> => {
    throw new Error(`${name} is only planned with`);
  };
  const token: Field = { type: "string", required: true, writeOnly: true, description: "A value." };
  return {
    ...{ name, title: name, className: name, collection: `${name}s`, description: "A sample.", computed: {} },
    ...{ identity: powers.identity, label: "name", afterForget: "It stays." },
    example: { key: "one", id: "1", spec: { name: "One" } },
    fields: {
      name: { type: "string", required: true, description: "Its name." },
      text: { type: "string", description: "A text." },
      ...(powers.writeOnly ? { token } : {}),
    },
    ...(powers.list
      ? { list: { ...powers.list, endpoint: name, read: uncalled as never, toListed: () => undefined } }
      : {}),
    ...(powers.read ? { read: uncalled } : {}),
    ...(powers.identity === "created" ? { create: uncalled } : {}),
    ...(powers.update ? { update: uncalled } : {}),
    ...(powers.remove ? { remove: async () => void (await uncalled()) } : {}),
  };
}
