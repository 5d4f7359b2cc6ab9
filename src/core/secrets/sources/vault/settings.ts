import path from "node:path";
import { parseServerAddress } from "../../server-address.js";
import { failed, notSet } from "../../source-error.js";
import type { SourceContext } from "../../source-kind.js";
import type { VaultFields } from "./fields.js";

/** Which server is asked, and as whom. Contains no credentials, only where they are. */
export interface VaultServer {
  /** Without a final slash. */
  readonly address: string;
  readonly namespace: string | undefined;
  /** Absolute path of the certificates to trust in place of the system's, in PEM. */
  readonly caFile: string | undefined;
  /** `jwtFile` is an absolute path. */
  readonly login: VaultLogin;
}

export type VaultLogin = Pick<
  VaultFields,
  "auth" | "authMount" | "role" | "roleId" | "secretIdVariable" | "tokenVariable" | "jwtVariable" | "jwtFile"
> & { readonly audience: string };

/**
 * The settings of a source. The runner has put what the environment has for fields into them, but for the variables of
 * OpenBao.
 *
 * @throws SourceProblem if there is no address, or one to which no credentials are sent.
 */
export function readServer(
  fields: VaultFields,
  { root, environment, checkAddress }: SourceContext,
): VaultServer {
  const caFile = fields.caCertFile || environment.BAO_CACERT || undefined;
  const namespace = fields.namespace ?? environment.BAO_NAMESPACE;
  const address = readAddress(fields.address || environment.BAO_ADDR);
  if (!fields.address) checkAddress(address, "environment");
  const { audience = environment.VAULT_AUTH_AUDIENCE?.trim() || address } = fields;
  // A JWT for somebody else would let the server log in there.
  if (fields.audience !== undefined && fields.audience !== address) checkAddress(fields.audience, "source");
  const { auth, authMount, role, roleId, secretIdVariable, tokenVariable, jwtVariable, jwtFile } = fields;
  return {
    address,
    namespace: namespace?.replaceAll(/^\/|\/$/g, "") || undefined,
    caFile: caFile && path.resolve(root, caFile),
    login: {
      ...{ auth, authMount, role, roleId, secretIdVariable, tokenVariable, jwtVariable, audience },
      jwtFile: jwtFile && path.resolve(root, jwtFile),
    },
  };
}

function readAddress(given: string | undefined): string {
  if (!given)
    throw notSet("cannot be read: no address of a server is given. Set VAULT_ADDR, or the field `address`.");
  const address = parseServerAddress(given);
  if (address !== undefined) return address;
  // The address is not repeated: what is wrong with it may be a password in it.
  throw failed(
    "cannot be read: the address of the server is not one like https://vault.example.com:8200. Correct VAULT_ADDR, or the field `address`.",
  );
}
