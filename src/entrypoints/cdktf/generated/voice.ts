// Generated from the kinds' descriptors by `npm run generate`: edit those.
import { Construct } from "constructs";
import { literal } from "../literal.js";
import * as bindings from "./bindings/voice/index.js";

/** Arguments of the construct {@link Voice}. Strings are sent unchanged. */
export interface VoiceProps extends bindings.VoiceConfig {}

/** A voice that exists in the account. Its name is managed. Destroying it forgets it. */
export class Voice extends Construct {
  /** The Terraform resource, with every attribute, `importFrom` and `addOverride`. */
  readonly resource: bindings.Voice;

  constructor(scope: Construct, id: string, props: VoiceProps) {
    super(scope, id);
    this.resource = new bindings.Voice(this, "Resource", literal(props));
  }

  get id(): string {
    return this.resource.id;
  }

  /** Terraform address, for `dependsOn` in other constructs. */
  get fqn(): string {
    return this.resource.fqn;
  }
}
