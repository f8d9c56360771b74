import { beforeAll, describe, expect, it } from 'vitest';
import type { All } from '../../support/fixtures.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();
let one: All;
let other: All;
let token: string;
beforeAll(async () => {
  one = await trellis.createAll();
  other = await trellis.createAll();
  ({ token } = await trellis.createMember(one.team.teamId, 'VIEWER'));
});

describe.each([
  ['applications', 'application' as const],
  ['components', 'component' as const],
])('Query.%s', (list, kind) => {
  const ask = async (variables: object, as?: string) => {
    const query = `query Q($team: TeamRef, $region: RegionRef) { ${list}(team: $team, region: $region) { nodes { id } totalCount } }`;
    const { data, errors } = await trellis.graphql(query, variables, as);
    return data?.[list]?.nodes.map(({ id }: { id: string }) => id) ?? errors![0]!.extensions;
  };

  it('has those of all teams of the caller, of one team, or of a region of a team', async () => {
    const everywhere = await ask({});
    expect(everywhere).toEqual(expect.arrayContaining([one[kind].id, other[kind].id]));
    const team = { id: one.team.id };
    expect(await ask({ team })).toEqual([one[kind].id]);
    expect(await ask({ team, region: { name: one.region.name } })).toEqual([one[kind].id]);
    expect(await ask({}, token)).toEqual([one[kind].id]);
  });

  it('refuses a team that the caller does not see, a region that is not open, and a region alone', async () => {
    expect(await ask({ team: { id: other.team.id } }, token)).toMatchObject({ code: 'NOT_FOUND' });
    const region = { name: other.region.name };
    expect(await ask({ team: { id: one.team.id }, region })).toMatchObject({ code: 'NOT_FOUND' });
    expect(await ask({ region })).toMatchObject({
      code: 'INVALID_INPUT',
      issues: [{ path: expect.arrayContaining(['region']), message: 'Requires `team`' }],
    });
  });
});
