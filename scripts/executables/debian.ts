import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { goToolIn } from "../go-tools.js";

const nfpm = goToolIn("nfpm", "nfpm, a minute");

/** Makes the Debian package of an executable. `folder` has its licences, `libraryLicences` is the file with those of the libraries for Linux. */
export function writeDebianPackage(
  target: string,
  {
    executable,
    arch,
    version,
    folder,
    libraryLicences,
  }: Record<"executable" | "arch" | "version" | "folder" | "libraryLicences", string>,
): void {
  nfpm.build();
  const config = `${target}.json`;
  const mtime = "2000-01-01T00:00:00Z";
  const file = (src: string, dst: string, mode: number) => ({ src, dst, file_info: { mode, mtime } });
  const docs = "/usr/share/doc/avatarops";
  const settings = {
    ...{ name: "avatarops", arch, version, mtime, section: "devel", license: "Apache-2.0" },
    maintainer: "The avatarops authors <avatarops@users.noreply.github.com>",
    deb: { fields: { Bugs: "https://github.com/avatarops/avatarops/issues" } },
    homepage: "https://github.com/avatarops/avatarops",
    description: "Interactive avatars as code: plan and apply from files in git",
    recommends: ["ca-certificates", "git"],
    contents: [
      file(executable, "/usr/bin/avatarops", 0o755),
      file(path.join(folder, "THIRD-PARTY-LICENSES.txt"), `${docs}/THIRD-PARTY-LICENSES.txt`, 0o644),
      file(libraryLicences, `${docs}/${path.basename(libraryLicences)}`, 0o644),
      file(path.join(folder, "LICENSE"), `${docs}/copyright`, 0o644),
    ],
  };
  writeFileSync(config, JSON.stringify(settings));
  try {
    execFileSync(nfpm.program, ["package", "--packager", "deb", "--config", config, "--target", target], {
      stdio: ["ignore", "ignore", "inherit"],
    });
  } finally {
    rmSync(config);
  }
}
