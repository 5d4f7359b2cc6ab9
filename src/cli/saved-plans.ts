import path from "node:path";
import { followLinks, isInside, LeadsOutsideError } from "../files/index.js";
import type { Manifest } from "../manifest/index.js";
import type { Call } from "./command.js";

/**
 * Refuses to save a plan through a link that leads out of the folder it seems to be in: who wrote the files of a project
 * has no say in what is written elsewhere. A path that the user named elsewhere is theirs to choose.
 *
 * @throws LeadsOutsideError
 */
export async function refuseLeadingOut(
  named: string,
  { host }: Call,
  { root }: Pick<Manifest, "root">,
): Promise<void> {
  const written = host.resolve(named);
  const folders = [host.cwd, root].filter((folder) => isInside(folder, written));
  if (folders.length === 0) return;
  const target = await followLinks(written);
  const real = await Promise.all(folders.map(followLinks));
  const isLedOut = !real.some((folder) => isInside(folder, target));
  const isGits = real.some((folder) => path.relative(folder, target).split(path.sep).includes(".git"));
  if (isLedOut || (isGits && target !== written))
    throw new LeadsOutsideError("the project folder", named, target);
}
