import { randomBytes, randomUUID } from "node:crypto";
import { type Answer, type Asked, type StandIn, startStandIn } from "./server.js";

/* A 1Password Connect server, from the "1Password Connect Server API reference" (API 1.8). */

interface Field {
  readonly id: string;
  readonly label: string;
  readonly value?: string;
  readonly section?: { readonly id: string };
}

export interface StoredItem {
  readonly id: string;
  readonly title: string;
  version: number;
  state?: "ARCHIVED";
  fields: readonly Field[];
  readonly sections?: readonly { readonly id: string; readonly label: string }[];
}

export interface ConnectStandIn extends StandIn {
  readonly token: string;
  /** Of the vault that the token may read: its name is Production. */
  readonly vaultId: string;
  remove(title: string): void;
  put(title: string, fields: readonly Field[], more?: Partial<StoredItem>): StoredItem;
  /** Whether an item is shown, and not only listed. */
  showsItems: boolean;
  /** Whether the token may read the items of the vault. */
  mayRead: boolean;
  readonly environment: Readonly<Record<string, string>>;
}

export async function startConnect(): Promise<ConnectStandIn> {
  const items: StoredItem[] = [];
  const vaultId = newId();

  function answer({ url, headers }: Asked): Answer {
    if (headers.authorization !== `Bearer ${connect.token}`) return problem(401, "Invalid token signature");
    const [, api, vaults, vault, collection, item] = url.pathname.split("/");
    if (api !== "v1" || vaults !== "vaults") return problem(404, "Not found");
    if (vault === undefined)
      return { status: 200, body: [{ id: vaultId, name: "Production", type: "USER_CREATED" }] };
    if (vault !== vaultId || collection !== "items") return problem(404, "Vault not found");
    if (!connect.mayRead) return problem(403, `vault ${vault} is not in scope of ${connect.token}`);
    if (item === undefined) return { status: 200, body: filtered(url).map(summary) };
    if (!connect.showsItems) return problem(403, "Unauthorized access");
    const found = items.find(({ id }) => id === item);
    return found ? { status: 200, body: { ...summary(found), ...found } } : problem(404, "Item not found");
  }

  function filtered(url: URL): readonly StoredItem[] {
    const filter = url.searchParams.get("filter");
    if (filter === null) return items;
    const title = /^title eq "([^"\\]+)"$/.exec(filter)?.[1];
    return items.filter((item) => item.title === title);
  }

  function summary({ id, title, version, state }: StoredItem) {
    return {
      id,
      title,
      vault: { id: vaultId },
      category: "API_CREDENTIAL",
      version,
      ...(state ? { state } : {}),
    };
  }

  const server = await startStandIn(answer);
  const token = `connect-${randomUUID()}`;
  const connect: ConnectStandIn = Object.assign(server, {
    ...{ token, vaultId, mayRead: true, showsItems: true },
    environment: { OP_CONNECT_HOST: server.url, OP_CONNECT_TOKEN: token },
    remove: (title: string) =>
      void items.splice(0, Infinity, ...items.filter((item) => item.title !== title)),
    put(title: string, fields: readonly Field[], more: Partial<StoredItem> = {}) {
      const item: StoredItem = { id: newId(), title, version: 1, fields, ...more };
      items.push(item);
      return item;
    },
  });
  return connect;
}

/** 26 characters, as the reference has it. */
function newId(): string {
  return randomBytes(13).toString("hex");
}

function problem(status: number, message: string): Answer {
  return { status, body: { status, message } };
}
