import path from "node:path";
import type { SourceContext } from "../../source-kind.js";
import { VaultError } from "./errors.js";

/** Fields of `!vault`: a field of a secret in a KV secrets engine, and how to get at it. */
export interface VaultFields {
  readonly path: string;
  readonly field: string;
  readonly mount?: string;
  readonly version?: number;
  readonly kvVersion?: number;
  readonly address?: string;
  readonly namespace?: string;
  readonly caCertFile?: string;
  readonly auth?: string;
  readonly authMount?: string;
  readonly role?: string;
  readonly roleId?: string;
  readonly secretIdVariable?: string;
  readonly tokenVariable?: string;
  readonly jwtVariable?: string;
  readonly jwtFile?: string;
  readonly audience?: string;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Which server is asked, and as whom. Contains no credentials, only where they are. */
export interface VaultPlace {
  /** Without a final slash. */
  readonly address: string;
  readonly namespace: string | undefined;
  /** Absolute path of the certificates to trust in place of the system's, in PEM. */
  readonly caFile: string | undefined;
  readonly auth: VaultAuth;
}

/** `mount`: where the auth method is enabled. */
export type VaultAuth =
  | { readonly method: "token"; readonly variables: readonly string[]; readonly file: string | undefined }
  | {
      readonly method: "approle";
      readonly mount: string;
      readonly roleId: string;
      readonly secretIdVariable: string;
    }
  | {
      readonly method: "jwt";
      readonly mount: string;
      /** Undefined: the default one of the auth method. */
      readonly role: string | undefined;
      readonly from: JwtSource;
    }
  | {
      readonly method: "kubernetes";
      readonly mount: string;
      readonly role: string;
      readonly from: JwtSource;
    };

/** Where a JWT is. */
export type JwtSource =
  | { readonly in: "variable"; readonly name: string }
  | { readonly in: "file"; readonly path: string }
  /** GitHub Actions gives one on request. */
  | { readonly in: "github"; readonly audience: string };

type WithAudience = VaultFields & { readonly audience: string };

const kubernetesToken = "/var/run/secrets/kubernetes.io/serviceaccount/token";

/**
 * The settings of a source. The runner has put what the environment has for fields into them, but for the variables of
 * OpenBao.
 *
 * @throws VaultError if one is missing, or is not what it should be.
 */
export function readPlace(
  fields: VaultFields,
  { root, environment, checkAddress }: Pick<SourceContext, "root" | "environment" | "checkAddress">,
): VaultPlace {
  const caFile = fields.caCertFile || environment.BAO_CACERT || undefined;
  const namespace = fields.namespace ?? environment.BAO_NAMESPACE;
  const address = readAddress(fields.address || environment.BAO_ADDR);
  if (!fields.address) checkAddress(address, "environment");
  const { audience = environment.VAULT_AUTH_AUDIENCE?.trim() || address } = fields;
  // A JWT for somebody else would let the server log in there.
  if (fields.audience !== undefined && fields.audience !== address) checkAddress(fields.audience, "source");
  return {
    address,
    namespace: namespace?.replaceAll(/^\/|\/$/g, "") || undefined,
    caFile: caFile && path.resolve(root, caFile),
    auth: readAuth({ ...fields, audience }, root, environment),
  };
}

function readAddress(given: string | undefined): string {
  if (!given) {
    throw new VaultError(
      "not-set",
      "cannot be read: no address of a server is given. Set VAULT_ADDR, or the field `address`.",
    );
  }
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const isPlain = url && `${url.username}${url.password}${url.search}${url.hash}` === "";
  if (isPlain && /^https?:$/.test(url.protocol)) return url.href.replace(/\/$/, "");
  // The address is not repeated: what is wrong with it may be a password in it.
  throw new VaultError(
    "failed",
    "cannot be read: the address of the server is not one like https://vault.example.com:8200. Correct VAULT_ADDR, or the field `address`.",
  );
}

function readAuth(fields: WithAudience, root: string, environment: Variables): VaultAuth {
  const { auth: method = "token", role, roleId } = fields;
  const mount = fields.authMount ?? method;
  const file = fields.jwtFile && path.resolve(root, fields.jwtFile);
  switch (method) {
    case "token":
      return {
        method,
        variables: fields.tokenVariable ? [fields.tokenVariable] : ["VAULT_TOKEN", "BAO_TOKEN"],
        file: environment.HOME && path.join(environment.HOME, ".vault-token"),
      };
    case "approle":
      if (!roleId) throw missing("the id of the role", "VAULT_ROLE_ID, or the field `role_id`");
      return { method, mount, roleId, secretIdVariable: fields.secretIdVariable ?? "VAULT_SECRET_ID" };
    case "jwt":
      return { method, mount, role, from: jwtPlace(fields, file, environment) };
    case "kubernetes":
      if (!role) throw missing("the name of the role", "VAULT_AUTH_ROLE, or the field `role`");
      return {
        method,
        mount,
        role,
        from: fields.jwtVariable
          ? { in: "variable", name: fields.jwtVariable }
          : { in: "file", path: file || kubernetesToken },
      };
    default:
      throw new VaultError(
        "failed",
        "cannot be read: VAULT_AUTH_METHOD is not token, approle, jwt or kubernetes. Correct it.",
      );
  }
}

function missing(what: string, where: string): VaultError {
  return new VaultError(
    "not-set",
    `cannot be read: ${what} with which to log in is not given. Set ${where}.`,
  );
}

/** What is written in the source, else what GitLab's jobs are given, else what GitHub gives on request. */
function jwtPlace(
  { jwtVariable: variable, audience }: WithAudience,
  file: string | undefined,
  environment: Variables,
): JwtSource {
  if (variable) return { in: "variable", name: variable };
  if (file) return { in: "file", path: file };
  const isGitHub = environment.ACTIONS_ID_TOKEN_REQUEST_URL && !environment.VAULT_ID_TOKEN;
  return isGitHub ? { in: "github", audience } : { in: "variable", name: "VAULT_ID_TOKEN" };
}
