import { parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../src/api.ts';
import { operationNamed, operations, rootOf } from '../support/operations.ts';
import { operationsOpenapi, operationViolations } from '../support/operations-rest.ts';

const mutations = Object.keys(schema.getMutationType()!.getFields());
const queries = Object.keys(schema.getQueryType()!.getFields());

/** Fields of Query that need no operation, and why. */
const withoutOperation: Record<string, string> = {
  nodes: 'get-node has each of them.',
};

describe('the operations', () => {
  it('are one for every mutation, with its name', () => {
    const changes = operations.filter(({ isChange }) => isChange);
    expect(changes.map(rootOf).sort()).toEqual([...mutations].sort());
    for (const change of changes)
      expect(change.path).toBe(rootOf(change).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`));
  });

  it('read every field of Query', () => {
    const read = new Set(operations.filter(({ isChange }) => !isChange).map(rootOf));
    expect(queries.filter((name) => !read.has(name))).toEqual(Object.keys(withoutOperation));
  });

  it.each(operations)('$path is valid', ({ query }) => {
    expect(validate(schema, parse(query))).toEqual([]);
  });

  it('select of the payload of a mutation the fragments of its types, if nothing else is declared', () => {
    const textOf = (name: string) => operationNamed(name).query.split('\n\n')[0];
    expect(textOf('delete-certificate')).toBe(`mutation DeleteCertificate($input: DeleteCertificateInput!) {
  deleteCertificate(input: $input) {
    __typename
    ... on DeleteCertificatePayload {
      certificate {
        ...CertificateSummary
      }
      team {
        ...TeamSummary
      }
      plan {
        ...Plan
      }
    }
    ...Failure
  }
}`);
    // Nothing of the component, other parts of the port.
    expect(textOf('delete-port')).toBe(`mutation DeletePort($input: DeletePortInput!) {
  deletePort(input: $input) {
    __typename
    ... on DeletePortPayload {
      port {
        ...PortSummary
        component {
          id
          name
          accessUrls
        }
      }
      plan {
        ...Plan
      }
    }
    ...Failure
  }
}`);
    expect(textOf('create-webhook')).toContain(
      'webhook {\n        ...WebhookSummary\n      }\n      secret\n',
    );
  });

  it('have what the document of a query leaves out', () => {
    const textOf = (name: string) => operationNamed(name).query.split('\n\n')[0];
    // The arguments of each field, and the frame of a page.
    expect(
      textOf('list-runs'),
    ).toBe(`query ListRuns($component: ComponentRef!, $status: RunStatus, $first: Int = 20, $after: String) {
  component(by: $component) {
    runs(status: $status, first: $first, after: $after) {
      nodes {
        ...RunSummary
      }
      totalCount
      pageInfo {
        ...Page
      }
    }
  }
}`);
    // A page of edges.
    expect(
      textOf('list-region-teams'),
    ).toBe(`query ListRegionTeams($region: RegionRef!, $first: Int = 20, $after: String) {
  region(by: $region) {
    teams(first: $first, after: $after) {
      edges {
        node {
          id
          name
          alias
        }
        resources {
          ...ResourcesSummary
        }
      }
      totalCount
      pageInfo {
        ...Page
      }
    }
  }
}`);
    // What is declared and written stays, and lists without pages.
    expect(
      textOf('get-registry-credential'),
    ).toBe(`query GetRegistryCredential($credential: RegistryCredentialRef!) {
  registryCredential(by: $credential) {
    ...CredentialSummary
  }
}`);
    expect(textOf('get-port')).toContain('http(first: 50) {\n        nodes {\n');
    expect(textOf('list-variables')).toMatch(/^query ListVariables\(.*, \$first: Int = 50, /);
  });

  it('select one list with pages, if they take `after`', () => {
    for (const { isPaged, isChange, query, name } of operations) {
      const pages = query.match(/pageInfo \{/g) ?? [];
      if (!isChange)
        expect([name, pages.length]).toEqual([name, isPaged ? 1 : name === 'list_rules' ? 2 : 0]);
    }
  });
});

const described: [string, string[], any][] = operations.map(({ path, isChange }) => {
  const method = isChange ? 'post' : 'get';
  return [path, ['paths', `/${path}`, method], operationsOpenapi.paths[`/${path}`][method]];
});

describe('the OpenAPI document of the operations', () => {
  it('has every operation once, and nothing else', () => {
    expect(Object.keys(operationsOpenapi.paths).sort()).toEqual(
      [...operations.map(({ path }) => `/${path}`), '/export-events'].sort(),
    );
    const ids = described.map(([, , { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each(described)('has valid examples of %s, and describes it', (_, steps, operation) => {
    expect(operation.summary).toMatch(/\w/);
    expect(operation.description).toMatch(/\w/);
    const json = ['content', 'application/json'];
    const media = (at: string[], { schema: of, example }: any) => {
      expect(of).toBeDefined();
      expect(example).toBeDefined();
      expect(operationViolations([...at, 'schema'], example)).toEqual([]);
    };
    media([...steps, 'responses', '200', ...json], operation.responses[200].content['application/json']);
    if (operation.requestBody)
      media([...steps, 'requestBody', ...json], operation.requestBody.content['application/json']);
    operation.parameters.forEach((parameter: any, index: number) => {
      if (parameter.$ref) return;
      expect([parameter.name, parameter.description]).toEqual([parameter.name, expect.any(String)]);
      const at = [...steps, 'parameters', String(index)];
      if (parameter.schema?.default !== undefined)
        expect(operationViolations([...at, 'schema'], parameter.schema.default)).toEqual([]);
      if (!parameter.required) return;
      if (parameter.content) media([...at, ...json], parameter.content['application/json']);
      else media(at, parameter);
    });
  });

  it('describes every field', () => {
    const missing: string[] = [];
    const walk = (value: any, where: string) => {
      if (value === null || typeof value !== 'object') return;
      for (const [name, field] of Object.entries<any>(value.properties ?? {}))
        if (!field.description) missing.push(`${where}.${name}`);
      for (const [key, each] of Object.entries(value))
        if (key !== 'example' && key !== 'examples') walk(each, `${where}.${key}`);
    };
    walk(operationsOpenapi.components.schemas, 'schemas');
    for (const [path, , operation] of described) walk(operation, path);
    expect(missing).toEqual([]);
  });
});
