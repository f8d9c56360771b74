/** A field that changed. Null is no value. */
export interface FieldChange {
  field: string;
  before: unknown;
  after: unknown;
}

/** A change to describe. */
export interface Described {
  /** The action of the event, such as `port.open_outer`. */
  action: string;
  /** The type of the object, such as `Port`. */
  type: string;
  /** The name of the object. Null if it has none, or none that may be told. */
  name: string | null;
  /** The name of the component that the object belongs to. Null for others. */
  component: string | null;
  fields: readonly FieldChange[];
  /** The name of the object whose id is in a field. Undefined if it has none that may be told. */
  nameOf?(field: string, id: unknown): string | undefined;
}
