import { RootConstruct } from "constructs";
import { captureCallSite } from "./call-site.js";
import { declare } from "./declared.js";
import type { ProjectProps } from "./generated/project-props.js";
import { getLoadContext } from "./load-context.js";

/** Root of all constructs in a file, and the file's default export. */
export class Project extends RootConstruct {
  /** Environment from `--env`. */
  readonly environment: string | undefined = getLoadContext()?.environment;

  constructor(props: ProjectProps = {}) {
    super();
    declare(this, { version: 1, what: "project", id: "", props, madeAt: captureCallSite(new.target) });
  }
}
