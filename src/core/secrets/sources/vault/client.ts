import type { ProxyOptions } from "../../../../base/http/index.js";
import { readProxy } from "../../json-api.js";
import { malformed, refused, SourceProblem } from "../../source-error.js";
import type { SourceContext } from "../../source-kind.js";
import { asHeader, readCredentials } from "./login.js";
import type { VaultServer } from "./settings.js";
import { openVaultWire, type VaultResponse, type VaultWire } from "./wire.js";

/** One server, asked as one identity: what all sources of a run share. */
export interface VaultClient {
  /** Each path is asked for once, unless that fails. `path` is below `/v1/`, and encoded. @throws SourceProblem */
  ask(path: string): Promise<VaultResponse>;
  /** Revokes the token if we logged in, if the server lets us, and ends the connections. */
  close(): Promise<void>;
}

/** How long the end of a run may wait for it. */
const goodbyeMs = 2_000;

/** Nothing is sent yet: it logs in with the first question. */
export async function openVaultClient(server: VaultServer, context: SourceContext): Promise<VaultClient> {
  const proxy = readProxy(context);
  const wire = await openVaultWire(server, proxy);
  const responses = new Map<string, Promise<VaultResponse>>();
  let login: Promise<Login> | undefined;

  const logIn = () => {
    const made = openLogin(wire, server, context, proxy);
    login = made;
    // One that was refused would be refused again, and count as a wrong password does.
    made.catch((error: unknown) => {
      if (error instanceof SourceProblem && error.code === "unreachable") login = undefined;
    });
    return made;
  };
  const send = async (path: string) => {
    const used = login ?? logIn();
    const { token, isOurs } = await used;
    const response = await wire.send(path, { token });
    if (!isExpired(response)) return response;
    if (!isOurs)
      throw refused(
        `cannot be read: Vault at ${server.address} does not know the token, or it has expired. Log in again (\`vault login\`), or set VAULT_TOKEN to a valid one.`,
      );
    // It expired during the run, e.g. while somebody read the plan: another one, once.
    const again = await (login === used || !login ? logIn() : login);
    return wire.send(path, { token: again.token });
  };
  return {
    ask(path) {
      const known = responses.get(path);
      if (known) return known;
      const response = send(path);
      responses.set(path, response);
      // The next one who asks tries again.
      response.catch(() => responses.delete(path));
      return response;
    },
    async close() {
      const signal = AbortSignal.timeout(goodbyeMs);
      const late = new Promise<undefined>((resolve) => {
        signal.addEventListener("abort", () => resolve(undefined), { once: true });
      });
      const open = await Promise.race([login?.catch(() => undefined), late]);
      if (open?.isOurs) {
        const revoke = { method: "POST", token: open.token, signal } as const;
        await wire.send("auth/token/revoke-self", revoke).catch(() => undefined);
      }
      await wire.close();
    },
  };
}

interface Login {
  readonly token: string;
  /** Made by us, and to be revoked by us. */
  readonly isOurs: boolean;
}

async function openLogin(
  wire: VaultWire,
  { login, address }: VaultServer,
  context: SourceContext,
  proxy: ProxyOptions,
): Promise<Login> {
  const credentials = await readCredentials(login, context, proxy);
  if ("token" in credentials) return { token: credentials.token, isOurs: false };
  const { mount, method, body } = credentials;
  const path = `auth/${mount.split("/").map(encodeURIComponent).join("/")}/login`;
  const { status, body: response } = await wire.send(path, { body });
  const { client_token: token } = (response.auth ?? {}) as { client_token?: unknown };
  if (status === 200 && typeof token === "string" && token !== "")
    return { token: asHeader(token, "token of the login"), isOurs: true };
  if (status === 200) {
    throw malformed(
      `cannot be read: the login at ${address} gave no token. Check that the role asks for no second factor.`,
    );
  }
  throw refused(
    `cannot be read: Vault at ${address} refuses the login at auth/${mount} (status ${status}). ${adviceFor[method]}`,
  );
}

const adviceFor: Readonly<Record<string, string>> = {
  approle:
    "Check that the auth method is enabled there, and that role id and secret id are of one role and have not expired.",
  jwt: "Check that the auth method is enabled there, that the role exists, and that its bound_audiences and bound_claims are those of the JWT.",
  kubernetes:
    "Check that the auth method is enabled there, and that the role names this service account and its namespace.",
};

/** The token is unknown, or no longer valid; one without the right gets the same status without these words. */
function isExpired({ status, body }: VaultResponse): boolean {
  return (
    status === 403 &&
    Array.isArray(body.errors) &&
    body.errors.some((text) => /\binvalid token\b/.test(String(text)))
  );
}
