import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createApplication,
  createComponent,
  createPlace,
  type Place,
  unique,
} from '../../support/fixtures.ts';
import { type Answer, send } from '../../support/send.ts';
import { startTrellis, type Trellis } from '../../support/trellis.ts';

let trellis: Trellis;
let place: Place;
let appId: number;
let componentId: string;
let ports: string;
beforeAll(async () => {
  trellis = await startTrellis();
  place = await createPlace(trellis);
  appId = (await createApplication(trellis, place)).appId;
  componentId = (await createComponent(trellis, appId)).componentId;
  ports = `/openapi/v1/teams/${place.team.teamId}/regions/${place.region.name}/apps/${appId}/services/${componentId}/ports`;
});
afterAll(() => trellis.close());

const graphql = (key: string | undefined, query: string, variables?: object, token?: string) =>
  send(trellis, {
    token,
    headers: { 'Idempotency-Key': key },
    body: JSON.stringify({ query, variables }),
  });
const rest = (key: string, method: string, path: string, body?: object) =>
  send(trellis, {
    method,
    path,
    headers: { 'Idempotency-Key': key },
    ...(body && { body: JSON.stringify(body) }),
  });

const isReplayed = ({ headers }: Answer) => headers['idempotent-replayed'] === 'true';

const createTeam = `mutation($input: CreateTeamInput!) { createTeam(input: $input) { __typename
  ... on CreateTeamPayload { team { teamId: uid name } } ... on Error { code message } } }`;

/** Sends a request twice; the second must repeat the first. */
async function expectRepeated(request: () => Promise<Answer>): Promise<Answer> {
  const first = await request();
  const before = await trellis.counts();
  const second = await request();
  expect(isReplayed(first)).toBe(false);
  expect({ ...second, headers: {} }).toEqual({ ...first, headers: {} });
  expect(second.headers['content-type']).toBe(first.headers['content-type']);
  expect(isReplayed(second)).toBe(true);
  expect(await trellis.counts()).toEqual(before);
  return first;
}

describe('an Idempotency-Key', () => {
  it('makes a mutation happen once, with the same answer', async () => {
    const variables = { input: { name: unique('team') } };
    const key = unique('key');
    const { body } = await expectRepeated(() => graphql(key, createTeam, variables));
    expect(body.data.createTeam.team.name).toBe(variables.input.name);
    const without = await graphql(undefined, createTeam, variables);
    expect(without.body.data.createTeam.code).toBe('CONFLICT');
  });

  it('makes a REST operation happen once, with the same answer', async () => {
    const key = unique('key');
    const { status, body } = await expectRepeated(() =>
      rest(key, 'POST', ports, { port: 8080, protocol: 'http' }),
    );
    expect(status).toBe(200);
    expect(body.container_port).toBe(8080);
    const deleteKey = unique('key');
    await expectRepeated(() => rest(deleteKey, 'DELETE', `${ports}/8080`));
  });
});
