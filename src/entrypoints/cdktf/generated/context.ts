// Generated from the kinds' descriptors by `npm run generate`: edit those.
import type { IResolvable } from "cdktn";
import { Construct } from "constructs";
import { literal } from "../literal.js";
import * as bindings from "./bindings/context/index.js";

/** Arguments of the construct {@link Context}. Strings are sent unchanged. */
export interface ContextProps extends Omit<bindings.ContextConfig, "prompt" | "links"> {
  /** Prompt. A placeholder such as `${name}` is sent to the service unchanged. */
  readonly prompt: string;
  /** Reference pages that the avatar can mention, in order. */
  readonly links?: readonly bindings.ContextLinks[] | IResolvable;
}

/**
 * Prompt, opening text and links for the avatar in a conversation. Destroying it forgets it, unless
 * `onRemoval` is `delete`.
 */
export class Context extends Construct {
  /** The Terraform resource, with every attribute, `importFrom` and `addOverride`. */
  readonly resource: bindings.Context;

  constructor(scope: Construct, id: string, props: ContextProps) {
    super(scope, id);
    this.resource = new bindings.Context(this, "Resource", literal(props) as bindings.ContextConfig);
  }

  get id(): string {
    return this.resource.id;
  }

  /** Terraform address, for `dependsOn` in other constructs. */
  get fqn(): string {
    return this.resource.fqn;
  }
}
