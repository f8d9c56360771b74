import { readdirSync, readFileSync } from 'node:fs';
import { type DocumentNode, print } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../src/api.ts';
import { confirmOf, dismissOf, labelOf } from '../../src/console/act/words.ts';
import { mutationDocument } from '../../src/console/documents/mutation.ts';
import { lookup, page } from '../../src/console/documents/query.ts';
import { notInConsole } from '../support/not-in-console.ts';

const folder = new URL('../../src/console/', import.meta.url);
const source = (path: string) => readFileSync(new URL(path, folder), 'utf8');

/** The mutations that the actions of the console name. */
function calledMutations(): Set<string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => /\.tsx?$/.test(path) && !/^(?:documents|generated)/.test(path),
  );
  const text = files.map(source).join('\n');
  const names = [...text.matchAll(/'([a-z]\w+)'/g)].map(([, name]) => name!);
  // Those of a component and of all components of an application are named by both.
  const moves = /`\$\{move\}\$\{of\}`/.test(text) ? ['deploy', 'start', 'stop', 'restart'] : [];
  return new Set([...names, ...moves.flatMap((move) => [`${move}Application`, `${move}Component`])]);
}

describe('the documents of the console', () => {
  const textOf = (document: DocumentNode) => print(document).split('\n\n')[0];

  it('have the frame of a mutation, with what is read of its payload', () => {
    expect(textOf(mutationDocument('updateTeam', {}))).toBe(`mutation UpdateTeam($input: UpdateTeamInput!) {
  result: updateTeam(input: $input) {
    __typename
    ... on Error {
      ...FailureParts
    }
  }
}`);
    expect(
      textOf(mutationDocument('stopApplication', { stopApplication: ['plan', 'job'] })),
    ).toBe(`mutation StopApplication($input: StopApplicationInput!) {
  result: stopApplication(input: $input) {
    __typename
    ... on StopApplicationPayload {
      plan {
        ...PlanParts
      }
      job {
        id
        uid
      }
    }
    ... on Error {
      ...FailureParts
    }
  }
}`);
  });

  it('have the frame of one object, and of a page', () => {
    const select = `id webhooks(first: 20, after: $after) { ${page('id url')} }` as const;
    expect(
      textOf(lookup('team', 'Webhooks', { variables: '$after: String', select })),
    ).toBe(`query Webhooks($by: TeamRef!, $after: String) {
  team(by: $by) {
    id
    webhooks(first: 20, after: $after) {
      totalCount
      pageInfo {
        endCursor
        hasNextPage
      }
      nodes {
        id
        url
      }
    }
  }
}`);
  });
});

it('has an action for every mutation, unless there is a reason', () => {
  const called = calledMutations();
  const mutations = Object.keys(schema.getMutationType()!.getFields());
  expect(mutations.filter((mutation) => !called.has(mutation))).toEqual(Object.keys(notInConsole));
});

describe('the button of an action', () => {
  it('says what its mutation does, unless it has a text', () => {
    expect(labelOf({ mutation: 'rotateWebhookSecret' })).toBe('Rotate webhook secret');
    expect(labelOf({ mutation: 'rollbackUpgrade' })).toBe('Roll back upgrade');
    expect(labelOf({ mutation: 'createHttpRule' })).toBe('Create HTTP rule');
    expect(labelOf({ mutation: 'redeliver' })).toBe('Redeliver');
    expect(labelOf({ mutation: 'deleteWebhook', label: 'Delete' })).toBe('Delete');
  });
});

describe('the button that carries out an action', () => {
  it('has the object that its label lacks', () => {
    const of = (label: string, mutation: string, submit?: string) => confirmOf({ label, mutation, submit });
    expect(of('Delete', 'deleteComponent')).toBe('Delete component');
    expect(of('Roll back', 'rollbackApplication')).toBe('Roll back application');
    expect(of('Placement', 'setPlacement')).toBe('Set placement');
    expect(of('New webhook', 'createWebhook')).toBe('Create webhook');
    expect(of('Set health checks', 'setProbes')).toBe('Set health checks');
    expect(of('Edit', 'updateWebhook', 'Save changes')).toBe('Save changes');
    expect(of('Redeliver', 'redeliver')).toBe('Redeliver');
    expect(confirmOf({ mutation: 'deleteWebhook' })).toBe('Delete webhook');
  });

  it('is not beside another button that cancels', () => {
    expect(dismissOf('Cancel job')).toBe('Close');
    expect(dismissOf('Delete component')).toBe('Cancel');
  });
});
