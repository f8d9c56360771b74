import { describe, expect, it } from 'vitest';
import { models } from '../support/contract.ts';
import { document, violations } from '../support/openapi.ts';

const operations: [name: string, steps: string[], operation: any][] = Object.entries<any>(
  document.paths,
).flatMap(([path, methods]) =>
  Object.entries<any>(methods).map(([method, operation]): [string, string[], any] => [
    operation.operationId,
    ['paths', path, method],
    operation,
  ]),
);

describe('the OpenAPI document', () => {
  it('describes every operation, parameter and field', () => {
    const missing: string[] = [];
    const walk = (value: any, where: string) => {
      if (value === null || typeof value !== 'object') return;
      for (const [name, field] of Object.entries<any>(value.properties ?? {})) {
        // A list of roles is described as a whole.
        if (!field.description && !where.includes('role_infos')) missing.push(`${where}.${name}`);
      }
      for (const [key, each] of Object.entries(value)) if (key !== 'examples') walk(each, `${where}.${key}`);
    };
    walk(document.components.schemas, 'schemas');
    for (const [name, , operation] of operations) {
      if (!operation.description || !operation.summary) missing.push(name);
      for (const parameter of operation.parameters) {
        if (!parameter.description && !parameter.$ref) missing.push(`${name} ${parameter.name}`);
      }
    }
    expect(missing).toEqual([]);
  });

  it('names the models of the contract, each field required', () => {
    for (const [name, fields] of Object.entries(models)) {
      if (name === 'role') continue;
      const schema = document.components.schemas[name === 'port' ? 'ComponentPort' : name];
      expect(Object.keys(schema.properties).sort(), name).toEqual(Object.keys(fields).sort());
      expect([...schema.required].sort(), name).toEqual(Object.keys(fields).sort());
      expect(schema.additionalProperties, name).toBe(false);
    }
  });

  it.each(operations)('has valid examples and lists all errors of %s', (_, steps, operation) => {
    const media = (at: string[], { schema, example, examples }: any) => {
      expect(schema).toBeDefined();
      const values =
        example === undefined ? Object.values<any>(examples).map(({ value }) => value) : [example];
      expect(values.length).toBeGreaterThan(0);
      for (const value of values) expect(violations([...at, 'schema'], value)).toEqual([]);
    };
    const json = ['content', 'application/json'];
    media([...steps, 'responses', '200', ...json], operation.responses[200].content['application/json']);
    const statuses = Object.keys(operation.responses);
    for (const always of ['200', '400', '401', '500']) expect(statuses).toContain(always);
    if (operation.requestBody) {
      media([...steps, 'requestBody', ...json], operation.requestBody.content['application/json']);
      for (const status of ['413', '415']) expect(statuses).toContain(status);
    }
    expect(statuses.includes('304')).toBe(steps.at(-1) === 'get');
    if (steps[1]!.includes('{')) expect(statuses).toContain('404');
  });

  it('has valid examples of all errors', () => {
    for (const [name, { content }] of Object.entries<any>(document.components.responses)) {
      if (!content) continue;
      const type = 'application/problem+json';
      for (const { value } of Object.values<any>(content[type].examples)) {
        const steps = ['components', 'responses', name, 'content', type, 'schema'];
        expect(violations(steps, value)).toEqual([]);
        expect(String(value.status)).toBe(name.replace('Failure', ''));
      }
    }
  });
});
