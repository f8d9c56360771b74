import { beforeAll, expect, it } from 'vitest';
import { unique } from '../../support/fixtures.ts';
import { send } from '../../support/send.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();
let ports: string;
beforeAll(async () => {
  const place = await trellis.createPlace();
  const { appId } = await trellis.createApplication(place);
  const { componentId } = await trellis.createComponent(appId);
  ports = `/openapi/v1/teams/${place.team.teamId}/regions/${place.region.name}/apps/${appId}/services/${componentId}/ports`;
});

/** Deeper than a function that calls itself for each level gets. */
const deep = `${'['.repeat(20_000)}1${']'.repeat(20_000)}`;
const nickName = 'mutation { updateUser(input: { nickName: "Deep" }) { ... on Error { code } __typename } }';

it.each([
  {
    path: '/graphql',
    body: `{"query":${JSON.stringify(nickName)},"variables":{"unused":${deep}}}`,
    status: 200,
  },
  { path: '/api/v1/update-user', body: `{"nickName":${deep}}`, status: 400 },
  { path: undefined, body: `{"port":${deep}}`, status: 400 },
])('a request with an Idempotency-Key can nest deeply: $path', async ({ path = ports, body, status }) => {
  const key = unique('key');
  const answers = [];
  for (const headers of [{}, { 'Idempotency-Key': key }, { 'Idempotency-Key': key }]) {
    answers.push(await send(trellis, { path, body, headers }));
  }
  expect(answers.map((answer) => answer.status)).toEqual([status, status, status]);
  const other = await send(trellis, {
    path,
    body: body.replace('1', '2'),
    headers: { 'Idempotency-Key': key },
  });
  // What was refused before anything was changed leaves the key free.
  if (status === 200) expect(other.body.errors[0].extensions.code).toBe('CONFLICT');
});
