import type { RequestListener } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Person, Place } from '../../support/fixtures.ts';
import { answerTemplates, type StoreServer, startStoreServer, storeKey } from '../../support/store-server.ts';
import { ringTemplate } from '../../support/templates.ts';
import { useTrellis } from '../../support/trellis.ts';

const ring = ringTemplate(2);
const next = ringTemplate(2, { key: ring.key, version: '2.0.0' });
const answer = answerTemplates(
  new Map([
    [
      ring.key,
      {
        entry: {
          appKeyID: ring.key,
          name: 'Ring',
          versions: [ring, next].map(({ version }) => ({ appVersion: version })),
        },
        templates: new Map([ring, next].map(({ version, text }) => [version, text])),
      },
    ],
  ]),
);

let store: StoreServer;
/** Runs while a template is being asked for, before the store answers. */
let whileAsked: (() => Promise<unknown>) | undefined;
const trellis = useTrellis();
beforeAll(async () => {
  const slow: RequestListener = async (request, response) => {
    const isTemplate = request.url!.includes('getTemplate=True');
    if (isTemplate) await whileAsked?.();
    answer(request, response);
  };
  store = await startStoreServer(slow);
});
afterAll(() => store.close());

describe('losing rights during a call to the app store', () => {
  let place: Place;
  let appId: number;
  let member: Person;
  beforeEach(async () => {
    whileAsked = undefined;
    place = await trellis.createPlace();
    appId = (await trellis.createApplication(place)).appId;
    member = await trellis.createMember(place.team.teamId, 'DEVELOPER');
  });

  const install = (token: string) =>
    trellis.graphql(
      `mutation M($input: InstallApplicationInput!) {
        result: installApplication(input: $input) { __typename ... on Error { code } }
      }`,
      {
        input: {
          application: { appId },
          store: { url: store.url, domain: 'slow', accessKey: storeKey },
          templateId: ring.key,
          version: ring.version,
        },
      },
      token,
    );
  const upgrade = async (token: string) =>
    trellis.graphql(
      `mutation M($input: UpgradeApplicationInput!) {
        result: upgradeApplication(input: $input) { __typename ... on Error { code } }
      }`,
      {
        input: {
          application: { appId },
          upgrades: [{ storeName: 'slow', templateId: ring.key, version: next.version }],
        },
      },
      token,
    );
  const removeMember = () =>
    trellis.succeed(
      'removeTeamMember',
      { team: { teamId: place.team.teamId }, user: { userId: member.userId } },
      'team { uid }',
    );
  const revokeToken = async () => {
    const { viewer } = await trellis.data('{ viewer { accessToken { tokenId: uid } } }', {}, member.token);
    await trellis.succeed(
      'revokeAccessToken',
      { token: { tokenId: viewer.accessToken.tokenId } },
      'accessToken { revokedAt }',
    );
  };
  /** Rows of what belongs to applications: the loss of the right itself is a change elsewhere. */
  const owned = async () => {
    const { access_token, membership, event, ...rest } = await trellis.counts();
    return rest;
  };
  const versions = async () =>
    (await trellis.data(`{ application(by: { appId: ${appId} }) { version componentCount } }`)).application;

  const codeOf = (result: Awaited<ReturnType<typeof install>>) =>
    result.errors?.[0]?.extensions.code ?? result.data.result.code;

  it.each([
    ['member is removed', removeMember, 'NOT_FOUND'],
    ['token is revoked', revokeToken, 'UNAUTHENTICATED'],
  ])('an install changes nothing when its %s', async (_, lose, code) => {
    const before = await owned();
    let hasLost = false;
    whileAsked = async () => {
      await lose();
      hasLost = true;
    };
    expect(codeOf(await install(member.token))).toBe(code);
    expect(hasLost).toBe(true);
    expect(await owned()).toEqual(before);
    expect(await versions()).toEqual({ version: null, componentCount: 0 });
  });

  it.each([
    ['member is removed', removeMember, 'NOT_FOUND'],
    ['token is revoked', revokeToken, 'UNAUTHENTICATED'],
  ])('an upgrade changes nothing when its %s', async (_, lose, code) => {
    expect((await install(member.token)).data.result.__typename).toBe('InstallApplicationPayload');
    const [before, shown] = [await owned(), await versions()];
    let hasLost = false;
    whileAsked = async () => {
      await lose();
      hasLost = true;
    };
    expect(codeOf(await upgrade(member.token))).toBe(code);
    expect(hasLost).toBe(true);
    expect(await owned()).toEqual(before);
    expect(await versions()).toEqual(shown);
  });
});
