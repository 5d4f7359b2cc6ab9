import * as z from "zod";
import { request, type Send } from "./request.js";
import { ask, id, text } from "./shape.js";

/** A secret as sent (§4.4). */
export interface SecretBody {
  /** 1 to 255 characters. */
  readonly secret_name: string;
  readonly secret_value: string;
  /** LLMPROVIDER_API_KEY or VOICEPROVIDER_API_KEY; deployments know others. */
  readonly secret_type: string;
}

/** A secret as known afterwards (§2.6): never its value. */
export interface StoredSecret {
  readonly id: string;
  readonly secret_name: string;
}

const storedSecret: z.ZodType<StoredSecret> = z.object({ id, secret_name: text });

/** Secrets are stored and never seen again (§4.4). */
export interface Secrets {
  /** Never repeated once it may have left: a second one of the same name would be a second secret. */
  create(body: SecretBody): Promise<StoredSecret>;
}

export function secrets(send: Send): Secrets {
  return {
    create: (body) => ask(send, request("POST", "/v1/secrets", { body, confidential: true }), storedSecret),
  };
}
