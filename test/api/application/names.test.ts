import { beforeAll, describe, expect, it } from 'vitest';
import { type All, unique } from '../../support/fixtures.ts';
import { once } from '../../support/once.ts';
import { ringTemplate } from '../../support/templates.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();
let all: All;
beforeAll(async () => {
  all = await trellis.createAll();
});

const place = () => ({ team: { teamId: all.team.teamId }, region: { name: all.region.name } });
const component = (fields: object) => ({
  application: { appId: all.application.appId },
  name: 'x',
  image: 'nginx:1.29',
  ...fields,
});
const region = () => ({
  name: unique('region'),
  url: 'https://region.example',
  websocketUrl: 'wss://region.example',
  httpDomain: 'http.example',
  tcpDomain: 'tcp.example',
});

/** Every text that people read: the mutation, its field, the rest of its input, where it is shown, or null. */
const texts: [mutation: string, field: string, input: (text: string) => object, shown: string | null][] = [
  [
    'createUser',
    'nickName',
    (text) => ({ email: `${unique('u')}@a.example`, nickName: text }),
    'user { text: nickName }',
  ],
  [
    'createUser',
    'phone',
    (text) => ({ email: `${unique('u')}@a.example`, nickName: 'x', phone: text }),
    'user { text: phone }',
  ],
  ['createTeam', 'alias', (text) => ({ name: unique('team'), alias: text }), 'team { text: alias }'],
  ['createAccessToken', 'name', (text) => ({ name: text }), 'accessToken { text: name }'],
  ['createRegion', 'alias', (text) => ({ ...region(), alias: text }), 'region { text: alias }'],
  [
    'createRegion',
    'description',
    (text) => ({ ...region(), description: text }),
    'region { text: description }',
  ],
  ['createApplication', 'name', (text) => ({ ...place(), name: text }), 'application { text: name }'],
  [
    'createApplication',
    'note',
    (text) => ({ ...place(), name: unique('a'), note: text }),
    'application { text: note }',
  ],
  [
    'createApplication',
    'principal',
    (text) => ({ ...place(), name: unique('a'), principal: text }),
    'application { text: principal }',
  ],
  ['createComponent', 'name', (text) => component({ name: text }), 'component { text: name }'],
  [
    'createComponent',
    'description',
    (text) => component({ description: text }),
    'component { text: description }',
  ],
  [
    'publishTemplate',
    'name',
    (text) => ({ template: ringTemplate(1).text, name: text }),
    'template { text: name }',
  ],
  [
    'publishTemplate',
    'description',
    (text) => ({ template: ringTemplate(1).text, description: text }),
    'template { text: description }',
  ],
];

describe('a display text', () => {
  it.each(texts)('is stored trimmed and in NFC: %s, %s', async (mutation, _, input, shown) => {
    const decomposed = `  Cafe\u0301 ${'\u{1f6d2}'}\ufe0f\u3000`;
    const made = await trellis.succeed(mutation, input(decomposed), shown!);
    const [object] = Object.values<any>(made).filter((each) => each?.text !== undefined);
    expect(object.text).toBe(`Caf\u00e9 ${'\u{1f6d2}'}\ufe0f`);
  });

  once.each(texts)('must not contain invisible characters: %s, %s', async (mutation, field, input) => {
    for (const hidden of [
      'a\u200bb', // zero-width space
      '\u200b\u200d',
      'a\u200cb',
      'a\ufeffb',
      'a\u2060b',
      'a\u00adb', // soft hyphen
      'admin\u202egpj', // right-to-left override
      'a\u2066b', // isolate
      'a\u200fb', // right-to-left mark
      'a\u061cb',
      '\u3164', // Hangul filler
      'a\u{e0041}b', // tag
      'a\u0007b',
    ]) {
      const before = await trellis.counts();
      const refused = await trellis.attempt(mutation, input(hidden));
      expect(refused.code, JSON.stringify(hidden)).toBe('INVALID_INPUT');
      expect(refused.issues[0].path).toEqual(['input', field]);
      expect(await trellis.counts()).toEqual(before);
    }
  });

  it('is not a valid name when nothing in it is visible', async () => {
    for (const name of [' ', '\u3000', '\u2800', '\ufe0f', '\u00a0\u2003']) {
      expect((await trellis.attempt('createApplication', { ...place(), name })).code).toBe('INVALID_INPUT');
    }
  });

  it('is the same name in every Unicode form', async () => {
    const input = { ...place(), name: 'Z\u00fcrich' };
    await trellis.succeed('createApplication', input, 'application { name }');
    for (const name of ['Zu\u0308rich', ' Z\u00fcrich ']) {
      expect(await trellis.attempt('createApplication', { ...input, name })).toMatchObject({
        code: 'CONFLICT',
      });
    }
  });
});

describe('a logo', () => {
  const create = (logo: string) =>
    trellis.attempt('createApplication', { ...place(), name: unique('app'), logo }, 'application { logo }');
  const image = (length: number) => {
    const start = 'data:image/png;base64,';
    return start + 'A'.repeat(length - start.length);
  };

  it.each([
    ['an https URL', 'https://store.example/logo.svg?v=2'],
    ['an image', 'data:image/svg+xml;charset=utf-8,%3Csvg%2F%3E'],
    ['an image of 64 KiB', image(65_536)],
  ])('is %s', async (_, logo) => {
    expect(await create(logo)).toMatchObject({ application: { logo } });
    const published = { template: ringTemplate(1).text, logo };
    expect((await trellis.succeed('publishTemplate', published, 'template { logo }')).template.logo).toBe(
      logo,
    );
  });

  once.each([
    ['a script', 'javascript:alert(1)'],
    ['an http URL', 'http://store.example/logo.svg'],
    ['a page', 'data:text/html,<script>alert(1)</script>'],
    ['a page that says it is an image', 'data:text/html;image/png,x'],
    ['credentials', 'https://me:secret@store.example/logo.svg'],
    ['a line break', 'https://store.example/\nlogo.svg'],
    ['a longer image', image(65_537)],
    ['a word', 'logo'],
  ])('is not %s', async (_, logo) => {
    for (const refused of [
      await create(logo),
      await trellis.attempt('publishTemplate', { template: ringTemplate(1).text, logo }),
    ]) {
      expect(refused.code).toBe('INVALID_INPUT');
      expect(refused.issues[0].path).toEqual(['input', 'logo']);
    }
  });

  it('of a published template can be removed', async () => {
    const { text } = ringTemplate(1);
    const publish = async (logo?: string) =>
      (await trellis.succeed('publishTemplate', { template: text, logo }, 'template { logo }')).template.logo;
    expect(await publish('https://store.example/logo.svg')).toBe('https://store.example/logo.svg');
    expect(await publish()).toBe('https://store.example/logo.svg');
    expect(await publish('')).toBe('');
  });
});

describe('the default application', () => {
  it('is unique in a team and region, and replaced by a new default', async () => {
    const { team, region: at } = await trellis.createPlace();
    const create = (isDefault: boolean) =>
      trellis.succeed(
        'createApplication',
        { team: { teamId: team.teamId }, region: { name: at.name }, name: unique('app'), isDefault },
        'application { appId: uid isDefault }',
      );
    const defaults = async () => {
      const data = await trellis.data(
        `{ team(by: { teamId: "${team.teamId}" }) { applications(first: 100) { nodes { appId: uid isDefault } }
           events(first: 1, action: "application.update") { totalCount } } }`,
      );
      const ids = data.team.applications.nodes.filter((each: any) => each.isDefault);
      return { ids: ids.map((each: any) => each.appId), moved: data.team.events.totalCount };
    };
    const first = await create(true);
    await create(false);
    expect(await defaults()).toEqual({ ids: [first.application.appId], moved: 0 });
    const second = await create(true);
    expect(await defaults()).toEqual({ ids: [second.application.appId], moved: 1 });
    await Promise.all(Array.from({ length: 8 }, () => create(true)));
    const after = await defaults();
    expect(after.ids).toHaveLength(1);
    expect(after.moved).toBe(9);
  });

  it('of another region or team is not changed', async () => {
    const create = async (input: object) =>
      trellis.succeed('createApplication', { ...input, isDefault: true }, 'application { appId: uid }');
    const there = await trellis.createPlace();
    const open = { team: { teamId: there.team.teamId }, region: { name: all.region.name } };
    await trellis.succeed('openTeamRegion', open, 'team { uid }');
    const made = [
      await create({ ...open, region: { name: there.region.name }, name: 'one' }),
      await create({ ...open, name: 'two' }),
      await create({ ...place(), name: 'three' }),
    ];
    for (const { application } of made) {
      const query = `{ application(by: { appId: ${application.appId} }) { isDefault } }`;
      expect((await trellis.data(query)).application.isDefault).toBe(true);
    }
  });
});
