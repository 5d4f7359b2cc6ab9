// Generated from the kinds' descriptors by `npm run generate`: edit those.
import { Construct } from "constructs";
import { literal } from "../literal.js";
import * as bindings from "./bindings/avatar/index.js";

/** Arguments of the construct {@link Avatar}. Strings are sent unchanged. */
export interface AvatarProps extends bindings.AvatarConfig {}

/** A talking video avatar that exists in the account. Its name is managed. Destroying it forgets it. */
export class Avatar extends Construct {
  /** The Terraform resource, with every attribute, `importFrom` and `addOverride`. */
  readonly resource: bindings.Avatar;

  constructor(scope: Construct, id: string, props: AvatarProps) {
    super(scope, id);
    this.resource = new bindings.Avatar(this, "Resource", literal(props));
  }

  get id(): string {
    return this.resource.id;
  }

  /** Terraform address, for `dependsOn` in other constructs. */
  get fqn(): string {
    return this.resource.fqn;
  }
}
