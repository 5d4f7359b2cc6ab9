import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";

/*
 * Describes protocol buffers with plain tables. For example, `message({ name: [1, string], tags: [2, repeated(string)] })`
 * serves as description, codec and TypeScript type. Supports only the features that plugin protocols need: no floats,
 * packed numbers or groups. Skips unknown fields, so that older and newer versions are compatible.
 */

/** Message fields by name, each with its number and type on the wire. */
export type MessageFields = {
  readonly [name: string]: readonly [number: number, type: MessageField<unknown, never>];
};

/**
 * Message that decodes to `Out`, where every field is present, and encodes from `In`, where every field is optional.
 */
export interface Message<Out, In> extends SingularField<Out, In, undefined> {
  decode(bytes: Uint8Array): Out;
  encode(value: In): Uint8Array;
}

/** Type of a decoded message. */
export type MessageOf<M> = M extends Message<infer Out, infer _In> ? Out : never;

/** Type for encoding a message. Omitted fields are not sent. */
export type MessageInput<M> = M extends Message<infer _Out, infer In> ? In : never;

export type ReadFields<F extends MessageFields> = {
  readonly [K in keyof F]: F[K][1] extends MessageField<infer Out, infer _In> ? Out : never;
};

export type WrittenFields<F extends MessageFields> = {
  readonly [K in keyof F]?: (F[K][1] extends MessageField<infer _Out, infer In> ? In : never) | undefined;
};

export function message<const F extends MessageFields>(fields: F): Message<ReadFields<F>, WrittenFields<F>> {
  const entries = Object.entries<readonly [number, MessageField<unknown, unknown>]>(fields);
  const byNumber = new Map(entries.map(([name, [number, type]]) => [number, { name, type }]));

  function decode(bytes: Uint8Array): ReadFields<F> {
    const read: { [name: string]: unknown } = {};
    for (const [name, [, type]] of entries) read[name] = type.absent();
    const reader = new BinaryReader(bytes);
    while (reader.pos < reader.len) {
      const [number, wireType] = reader.tag();
      const field = byNumber.get(number);
      if (field) read[field.name] = field.type.read(reader, read[field.name]);
      else reader.skip(wireType, number);
    }
    return read as ReadFields<F>;
  }

  function write(writer: BinaryWriter, value: WrittenFields<F>): void {
    for (const [name, [number, type]] of entries) {
      const given = value[name];
      if (given !== undefined) type.write(writer, number, given);
    }
  }

  const item: ItemCodec<ReadFields<F>, WrittenFields<F>> = {
    wireType: WireType.LengthDelimited,
    read: (reader) => decode(reader.bytes()),
    write(writer, value) {
      writer.fork();
      write(writer, value);
      writer.join();
    },
  };
  return {
    ...optional({ item }),
    decode,
    encode(value) {
      const writer = new BinaryWriter();
      write(writer, value);
      return writer.finish();
    },
  };
}

export interface MessageField<Out, In = Out> {
  /** Returns the value to use if the field was not sent. */
  absent(): Out;
  /** Reads a value. `before` is the value read so far from the same field, or `absent()`. */
  read(reader: BinaryReader, before: Out): Out;
  write(writer: BinaryWriter, number: number, value: In): void;
}

/** Field with one value. Its codec also encodes the elements of lists and maps. */
export interface SingularField<Out, In = Out, Absent = Out> extends MessageField<Out | Absent, In> {
  readonly item: ItemCodec<Out, In>;
}

/** Codec for one value, without its field number. */
export interface ItemCodec<Out, In = Out> {
  readonly wireType: WireType;
  read(reader: BinaryReader): Out;
  write(writer: BinaryWriter, value: In): void;
}

export const string = scalar<string>("", {
  wireType: WireType.LengthDelimited,
  read: (reader) => reader.string(true),
  write: (writer, value) => writer.string(value),
});

export const bytes: SingularField<Uint8Array> = {
  ...scalar<Uint8Array>(new Uint8Array(), {
    wireType: WireType.LengthDelimited,
    read: (reader) => reader.bytes(),
    write: (writer, value) => writer.bytes(value),
  }),
  write(writer, number, value) {
    if (value.length > 0) writer.tag(number, WireType.LengthDelimited).bytes(value);
  },
};

export const bool = scalar<boolean>(false, {
  wireType: WireType.Varint,
  read: (reader) => reader.bool(),
  write: (writer, value) => writer.bool(value),
});

/**
 * 64-bit integer on the wire. Allows only integers that a double represents exactly, which is enough for versions,
 * counts and times.
 */
export const int64 = scalar<number>(0, {
  wireType: WireType.Varint,
  read: (reader) => Number(reader.int64()),
  write: (writer, value) => writer.int64(value),
});

/** Declares an enumeration. The index of a name is its number. */
export function enumeration<const Name extends string>(
  ...names: readonly [Name, ...Name[]]
): SingularField<Name> {
  return scalar<Name>(names[0], {
    wireType: WireType.Varint,
    read: (reader) => names[reader.int32()] ?? names[0],
    write: (writer, value) => writer.int32(names.indexOf(value)),
  });
}

/** Declares a field that distinguishes absent from empty, like an `optional` field or a member of a `oneof`. */
export function optional<Out, In>({ item }: { item: ItemCodec<Out, In> }): SingularField<Out, In, undefined> {
  return {
    item,
    absent: () => undefined,
    read: (reader) => item.read(reader),
    write(writer, number, value) {
      writer.tag(number, item.wireType);
      item.write(writer, value);
    },
  };
}

export function repeated<Out, In, Absent>({
  item,
}: SingularField<Out, In, Absent>): MessageField<readonly Out[], readonly In[]> {
  return {
    absent: () => [],
    read(reader, before) {
      // Safe to mutate, because `absent` created this array. Copying it for each element would take quadratic time.
      (before as Out[]).push(item.read(reader));
      return before;
    },
    write(writer, number, values) {
      for (const value of values) {
        writer.tag(number, item.wireType);
        item.write(writer, value);
      }
    },
  };
}

/** Declares a map with string keys, which becomes a record without a prototype. */
export function map<Out, In, Absent>({
  item,
}: SingularField<Out, In, Absent>): MessageField<
  { readonly [key: string]: Out },
  { readonly [key: string]: In }
> {
  const entry = message({
    key: [1, string],
    value: [2, optional({ item }) as MessageField<Out | undefined, never>],
  });
  return {
    absent: () => Object.create(null),
    read(reader, before) {
      const { key, value } = entry.item.read(reader);
      (before as { [key: string]: Out | undefined })[key] = value;
      return before;
    },
    write(writer, number, values) {
      for (const [key, value] of Object.entries(values)) {
        writer.tag(number, WireType.LengthDelimited);
        entry.item.write(writer, { key, value: value as never });
      }
    },
  };
}

/** Declares a field for a message that is declared later, for example because two messages contain each other. */
export function lazy<Out, In>(declared: () => Message<Out, In>): SingularField<Out, In, undefined> {
  return optional<Out, In>({
    item: {
      wireType: WireType.LengthDelimited,
      read: (reader) => declared().item.read(reader),
      write: (writer, value) => declared().item.write(writer, value),
    },
  });
}

function scalar<T>(empty: T, item: ItemCodec<T>): SingularField<T> {
  return {
    item,
    absent: () => empty,
    read: (reader) => item.read(reader),
    write(writer, number, value) {
      if (value === empty) return;
      writer.tag(number, item.wireType);
      item.write(writer, value);
    },
  };
}
