import type { FinishedCommand } from "./commands.js";
import type { Repository } from "./repository.js";
import type { World } from "./world.js";

/** Participants in a simulated life. */
export interface Team {
  readonly world: World;
  readonly repository: Repository;
  /** Another project's repository. */
  readonly other: Repository;
  readonly ran: FinishedCommand[];
}
