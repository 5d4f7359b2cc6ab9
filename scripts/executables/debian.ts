import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/**
 * Builds the Debian package of an executable. `folder` contains its licenses, and `libraryLicenses` is the file with
 * the licenses of the Linux libraries.
 */
export function writeDebianPackage(
  target: string,
  {
    executable,
    arch,
    version,
    folder,
    libraryLicenses,
  }: Record<"executable" | "arch" | "version" | "folder" | "libraryLicenses", string>,
): void {
  const tree = mkdtempSync(path.join(tmpdir(), "avatarops-debian-"));
  const control = path.join(tree, "control");
  /** Creates a file and its parent folders, regardless of the umask. */
  const put = (source: string, target: string, mode: string) =>
    execFileSync("install", ["-D", `--mode=${mode}`, source, path.join(tree, target)]);
  const docs = "usr/share/doc/avatarops";
  try {
    chmodSync(tree, 0o755);
    writeFileSync(
      control,
      `Package: avatarops
Version: ${version.replace("-", "~")}
Architecture: ${arch}
Section: devel
Priority: optional
Installed-Size: ${Math.ceil(statSync(executable).size / 1024)}
Maintainer: The avatarops authors <avatarops@users.noreply.github.com>
Recommends: ca-certificates, git
Homepage: https://github.com/avatarops/avatarops
Bugs: https://github.com/avatarops/avatarops/issues
Description: Interactive avatars as code: plan and apply from files in git
`,
    );
    put(control, "DEBIAN/control", "644");
    rmSync(control);
    put(executable, "usr/bin/avatarops", "755");
    put(path.join(folder, "THIRD-PARTY-LICENSES.txt"), `${docs}/THIRD-PARTY-LICENSES.txt`, "644");
    put(libraryLicenses, `${docs}/${path.basename(libraryLicenses)}`, "644");
    put(path.join(folder, "LICENSE"), `${docs}/copyright`, "644");
    execFileSync("dpkg-deb", ["--root-owner-group", "-Zgzip", "--build", tree, target], {
      // Maximum timestamp of files in the package.
      env: { ...process.env, SOURCE_DATE_EPOCH: "946684800" },
      stdio: ["ignore", "ignore", "inherit"],
    });
  } finally {
    rmSync(tree, { recursive: true });
  }
}
