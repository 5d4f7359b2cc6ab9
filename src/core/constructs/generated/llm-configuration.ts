// Generated from the kinds' descriptors by `npm run generate`: edit those.
import type { Construct } from "constructs";
import { type ConstructOf, DeclaredConstruct } from "../declared.js";
import type { Text } from "../sources.js";

/** Properties of an LlmConfiguration. */
export interface LlmConfigurationProps {
  /** Name, 1 to 255 characters. */
  readonly displayName: Text;
  /** The provider's name of the model, 1 to 255 characters. */
  readonly modelName: Text;
  /** The secret with the provider's key. */
  readonly secret: ConstructOf<"secret"> | string;
  /**
   * Address of the provider, if it is not that of the service's choice. It can be changed, but not removed.
   * Default: it is not managed.
   */
  readonly baseUrl?: Text | undefined;
  /**
   * Neither delete nor forget the object when it is no longer declared. Recorded in the state, and in force
   * until a declaration without it is applied. Default: false.
   */
  readonly protect?: boolean | undefined;
  /**
   * Names of fields that are left to others, such as the dashboard or a running system: created with the
   * value declared here, and neither compared nor changed afterwards. Default: none.
   */
  readonly ignoreChanges?: readonly ("displayName" | "modelName" | "secret" | "baseUrl")[] | undefined;
  /**
   * What becomes of the object in the account when it is no longer declared: `forget`, the default, leaves it
   * there, and `delete` deletes it. Recorded in the state when it is applied. Default: as the project says.
   */
  readonly onRemoval?: "forget" | "delete" | undefined;
}

/** A language model that sessions can use, and the secret with its provider's key. */
export class LlmConfiguration extends DeclaredConstruct {
  /** Distinguishes it from constructs of other kinds. */
  readonly kind = "llm_configuration";

  constructor(scope: Construct, id: string, props: LlmConfigurationProps) {
    super("llm_configurations", scope, id, props);
  }
}
