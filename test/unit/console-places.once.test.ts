import { readdirSync, readFileSync } from 'node:fs';
import { type DocumentNode, print } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../src/api.ts';
import { confirmOf, dismissOf } from '../../src/console/act/words.ts';
import { text as applications } from '../../src/console/application/strings.ts';
import { mutationDocument } from '../../src/console/documents/mutation.ts';
import { lookup, page } from '../../src/console/documents/query.ts';
import { text as exposure } from '../../src/console/exposure/strings.ts';
import { text as people } from '../../src/console/people/strings.ts';
import { places } from '../../src/console/places.ts';
import { strings } from '../../src/console/strings.ts';
import { text as webhooks } from '../../src/console/webhooks/strings.ts';

const folder = new URL('../../src/console/', import.meta.url);
const source = (path: string) => readFileSync(new URL(path, folder), 'utf8');

/** The mutations that the actions of the console name. */
function calledMutations(): Set<string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => /\.tsx?$/.test(path) && !/^(?:places|documents|generated)/.test(path),
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

describe('the places of mutations in the console', () => {
  it('are known for every mutation, and for nothing else', () => {
    const mutations = Object.keys(schema.getMutationType()!.getFields());
    expect(Object.keys(places).sort()).toEqual(mutations.sort());
  });

  it('are pages of the console, whose actions call the mutation', () => {
    const called = calledMutations();
    const routes = [...source('routes.tsx').matchAll(/<Route path="([^"]+)"/g)].map(([, path]) => path);
    expect(routes.length).toBeGreaterThan(10);
    const wrong = Object.entries(places).flatMap(([mutation, place]) => {
      if ('reason' in place) return called.has(mutation) ? [`${mutation} is called`] : [];
      return [
        ...(routes.includes(place.page) ? [] : [`${place.page} is no page`]),
        ...(called.has(mutation) ? [] : [`${mutation} is not called`]),
      ];
    });
    expect(wrong).toEqual([]);
  });
});

describe('the button that carries out an action', () => {
  const verbOf = (mutation: string) => mutation.replace(/[A-Z].*/, '').replace('rollback', 'roll back');
  /** The verbs of mutations, and others that the console has for them, in the imperative. */
  const verbs = [
    ...Object.keys(places).map(verbOf),
    ...['allow', 'deactivate', 'edit', 'make', 'pause', 'save', 'send', 'trust'],
  ].map((verb) => verb[0]!.toUpperCase() + verb.slice(1));
  const sentence = new RegExp(`^(?:${verbs.join('|')}) \\S`);
  /** Those with a text of their own. */
  const named: { [mutation: string]: string } = {
    updateComponent: applications.changeImage,
    openOuterService: exposure.openOutside,
    openInnerService: exposure.openInside,
    closeOuterService: strings.act.closeOutside,
    closeInnerService: strings.act.closeInside,
    createAccessToken: people.tokens.create,
    redeliver: webhooks.deliveries.redeliverTitle,
    createServiceAccount: people.automation.create,
    createRole: people.roles.create,
    createUser: people.users.create,
  };

  it.each(Object.entries(places))('%s says what it does with what', (mutation, place) => {
    if ('reason' in place) return;
    expect(confirmOf({ label: place.control, submit: named[mutation], mutation })).toMatch(sentence);
  });

  it('has the object that its label lacks', () => {
    const of = (label: string, mutation: string, submit?: string) => confirmOf({ label, mutation, submit });
    expect(of('Delete', 'deleteComponent')).toBe('Delete component');
    expect(of('Roll back', 'rollbackApplication')).toBe('Roll back application');
    expect(of('Placement', 'setPlacement')).toBe('Set placement');
    expect(of('New webhook', 'createWebhook')).toBe('Create webhook');
    expect(of('Set health checks', 'setProbes')).toBe('Set health checks');
    expect(of('Edit', 'updateWebhook', 'Save changes')).toBe('Save changes');
  });

  it('is not beside another button that cancels', () => {
    expect(dismissOf('Cancel job')).toBe('Close');
    expect(dismissOf('Delete component')).toBe('Cancel');
  });
});
