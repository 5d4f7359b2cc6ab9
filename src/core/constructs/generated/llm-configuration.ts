// Generated from the kinds' descriptors by `npm run generate`: edit those.
import type { Construct } from "constructs";
import { type ConstructOf, DeclaredConstruct } from "../declared.js";
import type { Text } from "../sources.js";

/** Properties of an LlmConfiguration. */
export interface LlmConfigurationProps {
  /** Name, 1 to 255 characters. */
  readonly displayName: Text;
  /** The provider's name for the model, 1 to 255 characters. */
  readonly modelName: Text;
  /** The secret with the provider's key. */
  readonly secret: ConstructOf<"secret"> | string;
  /**
   * Base URL of the provider, if it is not the service's default. It can be changed, but not removed.
   * Default: not managed.
   */
  readonly baseUrl?: Text | undefined;
  /**
   * Neither delete nor forget the object when its declaration is removed. Recorded in the state, so it stays
   * in effect until a declaration without `protect` is applied. Default: false.
   */
  readonly protect?: boolean | undefined;
  /**
   * Names of fields that are managed elsewhere, such as in the dashboard. They are set when the object is
   * created, then neither compared nor changed. Default: none.
   */
  readonly ignoreChanges?: readonly ("displayName" | "modelName" | "secret" | "baseUrl")[] | undefined;
  /**
   * Whether to forget or delete the object when it is removed from the files: `forget` (the default) keeps it
   * in the account, and `delete` deletes it. Recorded in the state by an apply. Default: the project's
   * setting.
   */
  readonly onRemoval?: "forget" | "delete" | undefined;
}

/** A language model that sessions can use, and the secret with its provider's key. */
export class LlmConfiguration extends DeclaredConstruct {
  /** Distinguishes this construct from constructs of other kinds. */
  readonly kind = "llm_configuration";

  constructor(scope: Construct, id: string, props: LlmConfigurationProps) {
    super("llm_configurations", scope, id, props);
  }
}
