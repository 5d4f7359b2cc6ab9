import * as z from "zod";
import { containsConfidential } from "./confidential.js";
import { createShapeError } from "./failure.js";
import { request, type SendRequest, type ServiceRequest } from "./request.js";
import { id, requestShape, text } from "./shape.js";

/** Request body for a secret (§4.4). */
export interface SecretBody {
  /** Name of 1 to 255 characters. */
  readonly secret_name: string;
  readonly secret_value: string;
  /** Type LLMPROVIDER_API_KEY, VOICEPROVIDER_API_KEY, or another type that a deployment supports. */
  readonly secret_type: string;
}

/** Stored secret, without its value. */
export interface StoredSecret {
  readonly id: string;
  readonly secret_name: string;
}

const listed = z.object({ id, secret_name: text, secret_type: text, created_at: text });
const listedSecrets = z.array(listed);
const created = z.object({ id, secret_name: z.string().optional().catch(undefined) });

/** Secret in a list (undocumented). Null or missing strings are "". */
export type ListedSecret = Readonly<z.output<typeof listed>>;

/** Secret endpoints (§4.4). The service never returns a stored value. */
export interface Secrets {
  /**
   * Creates a secret. Never retried once it may have been sent, because the service would store a second secret with
   * the same name.
   */
  create(body: SecretBody): Promise<StoredSecret>;
  /** Returns all secrets in one response. Undocumented. */
  list(): Promise<readonly ListedSecret[]>;
  /** Deletes a secret. Idempotent and undocumented. */
  remove(id: string): Promise<void>;
}

export function createSecretsClient(send: SendRequest): Secrets {
  return {
    async create(body) {
      const sent = request("POST", "/v1/secrets", { body, confidential: true });
      const { id: storedId, secret_name: name = body.secret_name } = await readStored(
        send,
        sent,
        body.secret_value,
      );
      return { id: storedId, secret_name: name };
    },
    list: () => requestShape(send, request("GET", "/v1/secrets", { isBeyondDocument: true }), listedSecrets),
    async remove(id) {
      await send(request("DELETE", "/v1/secrets/{}", { ids: [id], isBeyondDocument: true }));
    },
  };
}

/**
 * Reads the id and the name from the response (§2.6). Rejects an id that contains the secret value, because a service may
 * echo the request, and drops such a name.
 */
async function readStored(
  send: SendRequest,
  sent: ServiceRequest,
  value: string,
): Promise<z.output<typeof created>> {
  const { id: storedId, secret_name } = await requestShape(send, sent, created);
  if (containsConfidential(storedId, value))
    throw createShapeError(sent, undefined, "data.id", "it contains the secret that was sent");
  return containsConfidential(secret_name ?? "", value) ? { id: storedId } : { id: storedId, secret_name };
}
