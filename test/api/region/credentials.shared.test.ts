import { describe, expect, it } from 'vitest';
import { rest } from '../../support/openapi.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();

const secrets = { token: 'T', caCertificate: 'CA', clientCertificate: 'CERT', clientKey: 'KEY' };

const newToken = async (isReadOnly: boolean): Promise<string> =>
  (await trellis.succeed('createAccessToken', { name: 'reads', isReadOnly }, 'secret')).secret;

/** How often it was recorded that the credentials of a region were read. */
async function recorded(regionId: string): Promise<number> {
  const filter = `action: "region.read_credentials", objectUid: "${regionId}"`;
  return (await trellis.data(`{ events(${filter}) { totalCount } }`)).events.totalCount;
}

const selection = '{ token caCertificate clientCertificate clientKey }';

describe('the credentials of a region', () => {
  it('are not for read-only tokens', async () => {
    const [token, region, team] = await Promise.all([
      newToken(true),
      trellis.createRegion({ credentials: secrets }),
      trellis.createTeam(),
    ]);
    const { name, regionId } = region;
    await trellis.succeed(
      'openTeamRegion',
      { team: { teamId: team.teamId }, region: { name } },
      '__typename',
    );
    const query = `{ region(by: { name: "${name}" }) { name credentials ${selection} } }`;
    expect((await trellis.data(query, {}, token)).region).toEqual({ name, credentials: null });
    const one = await rest(trellis, `get /regions/${name}`, { token });
    expect(one.body).toMatchObject({ ssl_ca_cert: '', cert_file: '', key_file: '' });
    const all = await rest(trellis, `get /teams/${team.teamId}/regions`, { token });
    expect(all.body.regions).toMatchObject([{ token: null }]);
    expect(await recorded(regionId)).toBe(0);
  });

  it('leave one event, however often a token reads them', async () => {
    const { name, regionId } = await trellis.createRegion({ credentials: secrets });
    const token = await newToken(false);
    const read = () =>
      trellis.data(
        `{ region(by: { name: "${name}" }) { ${Array.from({ length: 20 }, (_, i) => `a${i}: credentials ${selection}`)} } }`,
        {},
        token,
      );
    expect((await read()).region.a19).toEqual(secrets);
    expect(await recorded(regionId)).toBe(1);
    await read();
    const { body } = await rest(trellis, `get /regions/${name}`, { token });
    expect(body).toMatchObject({ ssl_ca_cert: 'CA', cert_file: 'CERT', key_file: 'KEY' });
    expect(await recorded(regionId)).toBe(1);
    // Another token, and other credentials.
    await rest(trellis, `get /regions/${name}`, { token: await newToken(false) });
    expect(await recorded(regionId)).toBe(2);
    await trellis.succeed(
      'updateRegion',
      { region: { name }, credentials: { token: 'U' } },
      `region { credentials ${selection} }`,
      token,
    );
    expect(await recorded(regionId)).toBe(3);
  });

  it('leave no event if they are not asked for or there are none', async () => {
    const { name, regionId } = await trellis.createRegion();
    await trellis.data(`{ region(by: { name: "${name}" }) { credentials ${selection} } }`);
    const full = await trellis.createRegion({ credentials: secrets });
    await trellis.data(`{ region(by: { name: "${full.name}" }) { name credentials { __typename } } }`);
    expect([await recorded(regionId), await recorded(full.regionId)]).toEqual([0, 0]);
  });
});
