import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";

/*
 * The room table of ARCHITECTURE.md is the law, and the import lines are what is held to it. Who wants another import
 * changes the table first, where everybody sees it. What needs no table is linted: biome.json.
 */

const allowances = roomTable(readFileSync("ARCHITECTURE.md", "utf8"));
/** Packages of their own in this repository: the rest imports them by name. */
const packages = readdirSync("packages").map((name) => `packages/${name}`);
/** `core/kinds`, and `operations`, which is a room itself: a room has an index. */
const rooms = [
  ...readdirSync("src").flatMap((floor) =>
    floor === "index.ts" || existsSync(`src/${floor}/index.ts`)
      ? [floor]
      : readdirSync(`src/${floor}`).map((room) => `${floor}/${room}`),
  ),
  ...packages,
];
const sources = ["src", ...packages.map((name) => `${name}/src`)]
  .flatMap(filesIn)
  .filter((file) => !file.startsWith("src/entrypoints/cdktf/generated/bindings/"));
const imports = sources.flatMap(importsOf);
/** Files that use real time: sockets and the flags of the JavaScript engine, which no simulation has. */
const realTime = ["src/core/api/wire.ts", "src/core/state/stores/postgres-connection.ts"];

describe("the room table", () => {
  test("has a row for every room, and a room for every row", () => {
    expect([...allowances.keys()].sort()).toEqual([...rooms].sort());
  });

  test("lets diagnostics, the emulator and the plugin package import nothing, and render only documents", () => {
    const fixed = ["base/diagnostics", "emulator", "output/render", "packages/terraform-plugin"].map(
      (room) => [room, allowances.get(room)] as const,
    );
    expect(Object.fromEntries(fixed)).toEqual({
      "base/diagnostics": [],
      emulator: [],
      "output/render": ["output/documents"],
      "packages/terraform-plugin": [],
    });
  });

  test("lets no room import from a later floor", () => {
    const floors = [...new Set([...allowances.keys()].map(floorOf))];
    const apart = ["emulator", ...packages];
    const later = [...allowances].flatMap(([room, others]) =>
      imports
        .filter(({ from, to }) => from === room && others.includes(to) && !apart.includes(to))
        .filter(({ to }) => floors.indexOf(floorOf(to)) > floors.indexOf(floorOf(room)))
        .map(({ file, target }) => `${file} imports ${target}`),
    );
    expect(floors.length).toBeGreaterThan(6);
    expect(later).toEqual([]);
  });
});

describe("rooms", () => {
  test.each(rooms)("%s imports only what its row allows", (room) => {
    const refused = imports
      .filter(({ from, to }) => from === room && to !== room && !allowances.get(room)?.includes(to))
      .map(({ file, target }) => `${file} imports ${target}`);
    expect(refused).toEqual([]);
  });

  test("are entered only through their index", () => {
    const refused = imports
      .filter(({ from, to, target }) => from !== to && target !== doorOf(to))
      .map(({ file, target }) => `${file} imports ${target}`);
    expect(refused).toEqual([]);
  });

  test("of operations: each folder imports only from those that ARCHITECTURE.md names before it", () => {
    const [, listed = ""] = /^Its folders, (.*?)\n\n/ms.exec(readFileSync("ARCHITECTURE.md", "utf8")) ?? [];
    const folders = Array.from(listed.matchAll(/`([\w-]+)\/`/g), ([, name = ""]) => name);
    expect(folders.toSorted()).toEqual(readdirSync("src/operations").filter((name) => name !== "index.ts"));
    const placeOf = (file: string) => folders.indexOf(file.split("/")[2] ?? "");
    const refused = imports
      .filter(
        ({ from, to, file }) => from === to && to === "operations" && file !== "src/operations/index.ts",
      )
      .filter(({ file, target }) => placeOf(target) > placeOf(file))
      .map(({ file, target }) => `${file} imports ${target}`);
    expect(refused).toEqual([]);
  });
});

describe("core", () => {
  test("takes clock, timers and randomness from the injected system only", () => {
    const core = sources.filter((file) => file.startsWith("src/core/"));
    const forbidden =
      /\b(?:Date\.now|performance\.now|Math\.random|setTimeout|setInterval|setImmediate|nodeSystem)\b|new Date\(\)|"node:timers|\brandom\w+,? [^}]*\} from "node:crypto"/;
    const found = core.filter(
      (file) => forbidden.test(readFileSync(file, "utf8")) && !realTime.includes(file),
    );
    expect(core.length).toBeGreaterThan(100);
    expect(found).toEqual([]);
  });
});

/** Allowed imports by room, from the rows between the markers: `room/`, what lives there, whom it may import. */
function roomTable(page: string): Map<string, string[]> {
  const [, table = ""] = /<!-- rooms -->(.*?)<!-- \/rooms -->/s.exec(page) ?? [];
  const rows = [...table.matchAll(/^\| `([\w./-]+?)\/?` \|.*\| ([^|]+) \|$/gm)];
  const all = rows.map(([, room = ""]) => room);
  return new Map(rows.map(([, room = "", cell = ""]) => [room, allowed(cell, all)]));
}

/** "–", "api, kinds", "everything" or "everything but cli, emulator". */
function allowed(cell: string, all: readonly string[]): string[] {
  if (cell === "–") return [];
  if (!cell.startsWith("everything")) return cell.split(", ").map((name) => roomNamed(name, all));
  const excepted = cell.replace(/^everything( but )?/, "").split(", ");
  return all.filter((room) => !excepted.includes(path.posix.basename(room)));
}

/** The room whose path ends in a name; the name itself if there is none, or several. */
function roomNamed(name: string, all: readonly string[]): string {
  const [room = name, ...others] = all.filter((one) => path.posix.basename(one) === name);
  return others.length === 0 ? room : name;
}

/** The library's front door is on the floor of the others. */
function floorOf(room: string): string {
  return room === "index.ts" ? "entrypoints" : (room.split("/")[0] ?? room);
}

interface Import {
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** As a path from the root of the repository. */
  readonly target: string;
}

/** Imports of other files of ours, static and dynamic, and of our packages; those of others are not of interest here. */
function importsOf(file: string): Import[] {
  const written = readFileSync(file, "utf8").matchAll(
    /(?:from|import)\s*\(?\s*"((?:\.|@avatarops\/)[^"]+)"/g,
  );
  return [...written]
    .map(([, specifier = ""]) =>
      specifier.startsWith(".")
        ? path.posix.join(path.posix.dirname(file), specifier)
        : specifier.replace(/^@avatarops\//, "packages/"),
    )
    .filter((target) => target !== "package.json")
    .map((target) => ({ file, from: roomOf(file), to: roomOf(target.replace(/\.js$/, ".ts")), target }));
}

function roomOf(file: string): string {
  const place = file.replace(/^src\//, "");
  return rooms.find((room) => place === room || place.startsWith(`${room}/`)) ?? `outside src: ${file}`;
}

/** Of a package its name. The library's front door is a file and not a folder. */
function doorOf(room: string): string {
  if (room.startsWith("packages/")) return room;
  return room === "index.ts" ? "src/index.js" : `src/${room}/index.js`;
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => path.posix.join(folder, file.split(path.sep).join("/")));
}
