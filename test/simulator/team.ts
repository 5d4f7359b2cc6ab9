import type { Ran } from "./commands.js";
import type { Repository } from "./repository.js";
import type { World } from "./world.js";

/** What takes part in a life. */
export interface Team {
  readonly world: World;
  readonly repository: Repository;
  /** Of another project. */
  readonly other: Repository;
  readonly ran: Ran[];
}
