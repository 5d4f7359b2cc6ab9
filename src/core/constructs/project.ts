import { RootConstruct } from "constructs";
import { callSite } from "./call-site.js";
import { declare } from "./declared.js";
import type { ProjectProps } from "./generated/project-props.js";
import { currentLoading } from "./loading.js";

/** The root of all constructs of a file, which is its default export. */
export class Project extends RootConstruct {
  /** The environment chosen with `--env`. */
  readonly environment: string | undefined = currentLoading()?.environment;

  constructor(props: ProjectProps = {}) {
    super();
    declare(this, { version: 1, what: "project", id: "", props, madeAt: callSite(new.target) });
  }
}
