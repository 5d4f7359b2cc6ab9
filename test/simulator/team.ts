import type { Ran } from "./commands.js";
import type { Repository } from "./repository.js";
import type { World } from "./world.js";

/** Participants of a life. */
export interface Team {
  readonly world: World;
  readonly repository: Repository;
  /** Repository of another project. */
  readonly other: Repository;
  readonly ran: Ran[];
}
