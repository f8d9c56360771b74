import { readFileSync } from 'node:fs';
import { buildSchema } from 'graphql';
import { describe, expect, it } from 'vitest';

const text = readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8');

describe('schema.graphql', () => {
  it('describes every type, field, argument and enum value', () => {
    const missing: string[] = [];
    for (const type of Object.values(buildSchema(text).getTypeMap())) {
      if (type.name.startsWith('__') || !type.astNode) continue;
      if (!type.description) missing.push(type.name);
      if ('getFields' in type) {
        for (const field of Object.values(type.getFields())) {
          if (!field.description) missing.push(`${type.name}.${field.name}`);
          if ('args' in field) {
            for (const arg of field.args) {
              if (!arg.description) missing.push(`${type.name}.${field.name}(${arg.name})`);
            }
          }
        }
      }
      if ('getValues' in type) {
        for (const value of type.getValues())
          if (!value.description) missing.push(`${type.name}.${value.name}`);
      }
    }
    expect(missing).toEqual([]);
  });
});
