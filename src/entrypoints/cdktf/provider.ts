import type { Construct } from "constructs";
import * as bindings from "./generated/bindings/provider/index.js";
import { literal } from "./literal.js";
import { requireSecretToken } from "./require-secret-token.js";

/** Arguments of an {@link AvataropsProvider}. Without them, the provider reads `AVATAROPS_BASE_URL` and `AVATAROPS_API_KEY`. */
export interface AvataropsProviderProps extends bindings.AvataropsProviderConfig {}

/** An account of the service. A second provider in the same stack needs an `alias`. */
export class AvataropsProvider extends bindings.AvataropsProvider {
  /** @throws Error if the API key or the fingerprint key is a literal. */
  constructor(scope: Construct, id: string, props: AvataropsProviderProps = {}) {
    const { apiKey, fingerprintKey } = props;
    if (apiKey !== undefined) requireSecretToken(scope, `apiKey of ${id}`, apiKey);
    if (fingerprintKey !== undefined) requireSecretToken(scope, `fingerprintKey of ${id}`, fingerprintKey);
    super(scope, id, literal(props));
  }
}
