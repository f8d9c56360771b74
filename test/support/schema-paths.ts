interface Schema {
  $ref?: string;
  properties?: { [key: string]: Schema };
  patternProperties?: { [pattern: string]: Schema };
  additionalProperties?: Schema | boolean;
  items?: Schema;
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
  $defs?: { [name: string]: Schema };
}

/** The paths of all values that a JSON Schema describes. `*` is a key that it does not name, and `[]` an item of a list. */
export function pathsOf(root: unknown): Set<string> {
  const definitions = (root as Schema).$defs ?? {};
  const paths = new Set<string>();
  const visit = (schema: Schema, path: string, open: readonly string[]) => {
    if (schema.$ref) {
      const name = schema.$ref.replace(/^#\/(\$defs|components\/schemas)\//, '');
      if (!open.includes(name)) visit(definitions[name]!, path, [...open, name]);
      return;
    }
    if (path) paths.add(path);
    const { oneOf = [], anyOf = [], allOf = [] } = schema;
    for (const each of [...oneOf, ...anyOf, ...allOf]) visit(each, path, open);
    const below = (key: string) => (path ? `${path}.${key}` : key);
    for (const [key, each] of Object.entries(schema.properties ?? {})) visit(each, below(key), open);
    for (const [pattern, each] of Object.entries(schema.patternProperties ?? {})) {
      if (!pattern.startsWith('^x-')) visit(each, below('*'), open);
    }
    if (typeof schema.additionalProperties === 'object') visit(schema.additionalProperties, below('*'), open);
    if (schema.items) visit(schema.items, `${path}[]`, open);
  };
  visit(root as Schema, '', []);
  return paths;
}
