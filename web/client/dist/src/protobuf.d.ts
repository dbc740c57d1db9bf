/** EnumDesc describes an enum. */
export interface EnumDesc {
    readonly value: Readonly<Record<number, {
        readonly localName: string;
    }>>;
}
/** FieldDesc describes a field of a message. */
export interface FieldDesc {
    /** The name in proto/, and that of the property. */
    readonly name: string;
    readonly localName: string;
    readonly number: number;
    readonly kind: Kind;
    readonly repeated: boolean;
    /** Whether the field distinguishes its default value from none. */
    readonly optional: boolean;
    /** The property of the oneof that has the field. */
    readonly oneof: {
        readonly localName: string;
    } | undefined;
    readonly message: MessageDesc | undefined;
    readonly enum: EnumDesc | undefined;
}
/** MessageDesc describes a message. */
export interface MessageDesc<T = unknown> {
    readonly typeName: string;
    /** In the order of their numbers. */
    readonly fields: readonly FieldDesc[];
    /** The type of the message; never set. */
    readonly shape?: T;
}
/** Kind is the type of a field: uint32, uint64, bool, string, bytes, an enum or a message. */
export type Kind = "u" | "U" | "b" | "s" | "y" | "e" | "m";
/** Init are the fields of a message from which it is created. What is missing has its default value. */
export type Init<T> = T extends Uint8Array | string | number | bigint | boolean | undefined ? T : T extends readonly (infer U)[] ? readonly Init<U>[] : T extends {
    case: string;
    value: unknown;
} ? {
    case: T["case"];
    value: Init<T["value"]>;
} : T extends {
    case: undefined;
    value?: undefined;
} ? T : {
    readonly [K in keyof T as K extends "$typeName" | "$unknown" ? never : K]?: Init<T[K]> | undefined;
};
/**
 * message describes a message by its fields: "name kind" with * for a repeated field, ? for one with presence and @name for one of a oneof.
 * The number is before the kind unless it is the next one. types returns the messages and enums of the fields that have one, in order.
 */
export declare function message<T>(typeName: string, table: string, types?: () => readonly (MessageDesc | EnumDesc)[]): MessageDesc<T>;
/** enumeration describes an enum. */
export declare function enumeration(values: Readonly<Record<number, string>>): EnumDesc;
/** create returns a message with all its fields. */
export declare function create<T>(desc: MessageDesc<T>, init?: Init<NoInfer<T>>): T;
/** encode returns the canonical encoding of a message: fields in the order of their numbers, default values omitted. */
export declare function encode<T>(desc: MessageDesc<T>, value: NoInfer<T>): Uint8Array<ArrayBuffer>;
/** decode decodes a message. Unknown fields are skipped. It throws a WireError for bytes that are not a message. */
export declare function decode<T>(desc: MessageDesc<T>, bytes: Uint8Array): T;
