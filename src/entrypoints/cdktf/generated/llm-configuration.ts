// Generated from the kinds' descriptors by `npm run generate`: edit those.
import { Construct } from "constructs";
import { literal } from "../literal.js";
import * as bindings from "./bindings/llm-configuration/index.js";
import { type ISecret, toId } from "./reference.js";

/** Arguments of the construct {@link LlmConfiguration}. Strings are sent unchanged. */
export interface LlmConfigurationProps extends Omit<bindings.LlmConfigurationConfig, "secretId"> {
  /** The secret with the provider's key. The construct, or its id. */
  readonly secret: ISecret | string;
}

/**
 * A language model that sessions can use, and the secret with its provider's key. Destroying it forgets it,
 * unless `onRemoval` is `delete`.
 */
export class LlmConfiguration extends Construct {
  /** The Terraform resource, with every attribute, `importFrom` and `addOverride`. */
  readonly resource: bindings.LlmConfiguration;

  constructor(scope: Construct, id: string, { secret, ...props }: LlmConfigurationProps) {
    super(scope, id);
    this.resource = new bindings.LlmConfiguration(this, "Resource", {
      ...literal(props),
      secretId: toId(secret),
    });
  }

  get id(): string {
    return this.resource.id;
  }

  /** Terraform address, for `dependsOn` in other constructs. */
  get fqn(): string {
    return this.resource.fqn;
  }
}
