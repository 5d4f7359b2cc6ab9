/** Kinds that no service has, with any combination of powers. */
import { type Field, type Kind, kinds, type Live } from "../../src/core/kinds/index.js";

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
  readonly list?: { readonly whole: boolean; readonly exhaustive: boolean };
  readonly update: boolean;
  readonly writeOnly: boolean;
  readonly remove: boolean;
}

const both = [true, false];
const lists: readonly Powers["list"][] = [
  undefined,
  { whole: true, exhaustive: true },
  { whole: true, exhaustive: false },
  { whole: false, exhaustive: true },
];

/** Every combination that makes sense; what makes none is said in test/kinds/kinds.test.ts. */
export const everyCombination: readonly Powers[] = both.flatMap((read) =>
  lists.flatMap((list) =>
    both.flatMap((writeOnly) =>
      both.flatMap((remove): Powers[] => {
        if (list?.whole === false && !read) return [];
        const powers = { read, ...(list ? { list } : {}), writeOnly, remove };
        return [
          { identity: "adopted", update: true, ...powers },
          { identity: "created", update: true, ...powers },
          { identity: "created", update: false, ...powers },
        ];
      }),
    ),
  ),
);

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
