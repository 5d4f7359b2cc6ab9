import { describe, expect, test } from "vitest";
import {
  bool,
  bytes,
  enumeration,
  int64,
  lazy,
  type Message,
  map,
  message,
  optional,
  repeated,
  string,
} from "../../src/protocol/protobuf.js";

interface Tree {
  readonly leaves: readonly Tree[];
  readonly label: string;
}
const Tree: Message<Tree, Partial<Tree>> = message({
  leaves: [1, repeated(lazy(() => Tree))],
  label: [2, string],
});

const Everything = message({
  string: [1, string],
  bytes: [2, bytes],
  bool: [3, bool],
  int64: [4, int64],
  choice: [5, enumeration("none", "one", "two")],
  optionalString: [6, optional(string)],
  optionalInt64: [7, optional(int64)],
  strings: [8, repeated(string)],
  trees: [16, repeated(Tree)],
  tree: [2047, Tree],
  map: [2048, map(Tree)],
});

describe("protobuf message", () => {
  test("survives a round trip in the standard Protobuf encoding", () => {
    const value = {
      string: "ä",
      bool: true,
      int64: -1,
      choice: "two",
      optionalString: "",
      strings: ["", "b"],
      trees: [{ label: "t" }, { leaves: [{ leaves: [], label: "l" }] }],
      tree: {},
      map: { k: { label: "v" } },
    } as const;
    const encoded = Everything.encode(value);
    const fields = ["0a02c3a4", "1801", "20ffffffffffffffffff01", "2802", "3200", "4200", "420162"];
    const trees = ["820103", "120174", "820105", "0a03", "12016c", "fa7f00"];
    const entry = ["82800108", "0a016b", "1203", "120176"];
    expect(Buffer.from(encoded).toString("hex")).toBe([...fields, ...trees, ...entry].join(""));
    expect(Everything.decode(encoded)).toMatchObject(value);
  });

  test("is encoded as zero bytes if all fields have default values", () => {
    const nothing = Everything.decode(new Uint8Array());
    expect(nothing).toEqual({
      string: "",
      bytes: new Uint8Array(),
      bool: false,
      int64: 0,
      choice: "none",
      optionalString: undefined,
      optionalInt64: undefined,
      strings: [],
      trees: [],
      tree: undefined,
      map: {},
    });
    expect(Everything.encode(nothing)).toEqual(new Uint8Array());
  });

  test("ignores unknown fields from a later version", () => {
    const Later = message({ name: [1, string], news: [9, string], more: [10, int64], most: [11, Tree] });
    const Earlier = message({ name: [1, string] });
    const sent = Later.encode({ name: "n", news: "!", more: 2 ** 40, most: { label: "l" } });
    expect(Earlier.decode(sent)).toEqual({ name: "n" });
  });

  test("accepts __proto__ as an ordinary map key", () => {
    const Texts = message({ texts: [1, map(string)] });
    const { texts } = Texts.decode(Texts.encode({ texts: { ["__proto__"]: "polluted", a: "b" } }));
    expect(Object.entries(texts)).toEqual([
      ["__proto__", "polluted"],
      ["a", "b"],
    ]);
  });
});
