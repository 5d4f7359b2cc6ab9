import type { Construct } from "constructs";
import { DeclaredConstruct } from "./declared.js";
import type { Text } from "./sources.js";

/** What an avatar knows, says first and links to. */
export interface ContextProps {
  /** Name, by which the object is found. */
  readonly name: Text;
  /** Prompt. `${name}` in it is the service's own placeholder and is sent as it stands: keep it out of template literals. */
  readonly prompt: Text;
  /** What the avatar says first. Default: nothing is managed. */
  readonly openingText?: Text | undefined;
  /** Reference pages the avatar may point to, in order. Default: nothing is managed. */
  readonly links?: readonly LinkProps[] | undefined;
}

/** A reference page. */
export interface LinkProps {
  /** Address of the page. */
  readonly url: Text;
  /** What the page answers. Default: "". */
  readonly faq?: Text | undefined;
}

/** A conversation setting: what the avatar knows, says first and links to. */
export class Context extends DeclaredConstruct {
  /** Tells it from constructs of other kinds. */
  readonly kind = "context";

  constructor(scope: Construct, id: string, props: ContextProps) {
    super("contexts", scope, id, props);
  }
}
