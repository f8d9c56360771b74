/** The part of JSON Schema that describes inputs. */
export interface Schema {
  type?: 'array' | 'string' | 'integer' | 'number' | 'boolean';
  description?: string;
  /** As the description has it. */
  default?: string;
  enum?: readonly string[];
  items?: Schema;
  /** The name of an input type. */
  $ref?: string;
}

export interface ObjectSchema {
  type: 'object';
  properties: { readonly [name: string]: Schema | undefined };
  required: readonly string[];
}
