import { beforeAll, describe, expect, it, vi } from 'vitest';
import { type All, unique } from '../../support/fixtures.ts';
import { connectMcp } from '../../support/mcp.ts';
import { sealerOf, verify } from '../../support/sealed-record.ts';
import { send } from '../../support/send.ts';
import { sendGraphql, sendRest } from '../../support/surfaces.ts';
import { useTrellis } from '../../support/trellis.ts';

const [perWindow, perCaller] = [5, 12];

const trellis = useTrellis({ refusals: { perWindow, perCaller, collectMs: 10 } });
let all: All;
beforeAll(async () => {
  all = await trellis.createAll();
});

const newViewer = () => trellis.createMember(all.team.teamId, 'VIEWER');

const query = `query ($user: UserRef) {
  events(action: "change.refuse", user: $user, first: 100) { nodes {
    objectType objectUid requestId tokenId sessionId objectName
    team { name } user { uid } changes { field oldValue newValue }
  } }
}`;
/** The refused changes of a user, oldest first. */
async function refusedTo({ userId }: { userId: number }): Promise<any[]> {
  const { events } = await trellis.data(query, { user: { userId } });
  return events.nodes.toReversed();
}
/** Waits until so many are recorded. */
const recorded = (of: { userId: number }, count: number) =>
  vi.waitFor(
    async () => {
      const events = await refusedTo(of);
      expect(events.length).toBe(count);
      return events;
    },
    { timeout: 90_000, interval: 20 },
  );
const mutationOf = ({ changes }: any) => changes.find(({ field }: any) => field === 'mutation').newValue;

describe('a refused change', () => {
  it('is recorded from every surface, with its object and nothing of its input', async () => {
    const viewer = await newViewer();
    const { team, application, component, port } = all;
    const { token } = viewer;
    const graphql = await sendGraphql(trellis, {
      mutation: 'setVariables',
      input: {
        component: { componentId: component.componentId },
        set: [{ name: 'PASSWORD', value: 'very-secret', isSecret: true }],
      },
      token,
    });
    expect(graphql.answer.body.data.result.code).toBe('FORBIDDEN');
    await recorded(viewer, 1);
    const contract = await sendRest(trellis, {
      at: `DELETE /teams/${team.name}/regions/${all.region.name}/apps/${application.appId}/services/${component.alias}/ports/${port.number}`,
      token,
    });
    expect(contract.answer.status).toBe(403);
    await recorded(viewer, 2);
    const operation = await send(trellis, {
      path: '/api/v1/update-application',
      body: JSON.stringify({ application: { appId: application.appId }, name: 'very-secret' }),
      token,
    });
    expect(operation.status).toBe(403);
    await recorded(viewer, 3);
    const mcp = await connectMcp(trellis, token);
    const tool = await mcp.call('call_operation', {
      name: 'update_team',
      arguments: { team: { name: team.name }, alias: 'very-secret' },
    });
    expect(tool.isError).toBe(true);
    await mcp.close();

    const events = await recorded(viewer, 4);
    expect(events.map((event) => [mutationOf(event), event.objectType, event.objectUid])).toEqual([
      ['setVariables', 'Component', component.componentId],
      [expect.any(String), 'Component', component.componentId],
      ['updateApplication', 'Application', String(application.appId)],
      ['updateTeam', 'Team', team.teamId],
    ]);
    for (const event of events) {
      expect(event).toMatchObject({
        team: { name: team.name },
        user: { uid: viewer.userId },
        tokenId: expect.any(String),
        sessionId: null,
        objectName: expect.any(String),
      });
    }
    expect(events[0].requestId).toBe(graphql.requestId);
    expect(events[0].changes).toEqual([{ field: 'mutation', oldValue: null, newValue: 'setVariables' }]);
    expect(JSON.stringify(events)).not.toContain('very-secret');
    const { teamEvents } = await trellis.data(
      'query ($team: TeamRef!) { teamEvents: team(by: $team) { events(action: "change.refuse") { totalCount } } }',
      { team: { name: team.name } },
      token,
    );
    expect(teamEvents.events.totalCount).toBe(4);
  });

  it('of no team, or of one that the caller may not see, belongs to the enterprise', async () => {
    const person = await trellis.createPerson();
    const refused = await trellis.attempt(
      'createTeam',
      { name: unique('team'), alias: 'x' },
      '__typename',
      person.token,
    );
    expect(refused.code).toBe('FORBIDDEN');
    const hidden = { team: { name: all.team.name }, alias: 'x' };
    expect((await trellis.attempt('updateTeam', hidden, '__typename', person.token)).code).toBe('NOT_FOUND');
    const [event, ...others] = await recorded(person, 1);
    expect(others).toEqual([]);
    expect(event).toMatchObject({ objectType: 'Enterprise', team: null });
    expect(mutationOf(event)).toBe('createTeam');
  });

  it('is recorded for tokens that are read-only, and for dry runs, which say so', async () => {
    const viewer = await newViewer();
    const { secret } = await trellis.succeed(
      'createAccessToken',
      { name: 'read-only', isReadOnly: true },
      'secret',
      viewer.token,
    );
    const team = { team: { name: all.team.name } };
    const path = '/api/v1/update-team';
    const body = JSON.stringify({ ...team, alias: 'x' });
    expect((await send(trellis, { path, body, token: secret })).status).toBe(403);
    const dryRun = { ...team, dryRun: true };
    expect((await trellis.attempt('deleteTeam', dryRun, '__typename', viewer.token)).code).toBe('FORBIDDEN');
    const events = await recorded(viewer, 2);
    expect(events.map(mutationOf)).toEqual(['updateTeam', 'deleteTeam']);
    expect(events[1].changes).toContainEqual({ field: 'dryRun', oldValue: null, newValue: true });
  });

  it('is recorded once for each mutation of a request, up to the limit of the token', async () => {
    const viewer = await newViewer();
    const fields = Array.from(
      { length: perWindow + 3 },
      (_, index) => `m${index}: updateTeam(input: $input) { ... on Error { code } }`,
    );
    const data = await trellis.data(
      `mutation ($input: UpdateTeamInput!) { ${fields.join(' ')} }`,
      { input: { team: { name: all.team.name }, alias: 'x' } },
      viewer.token,
    );
    expect(Object.values(data)).toEqual(fields.map(() => ({ code: 'FORBIDDEN' })));
    await recorded(viewer, perWindow);
    // Another token has a limit of its own. What is recorded after it shows that nothing else is still to come.
    const { secret } = await trellis.succeed(
      'createAccessToken',
      { name: 'another' },
      'secret',
      viewer.token,
    );
    const input = { team: { name: all.team.name }, alias: 'x' };
    await trellis.attempt('updateTeam', input, '__typename', viewer.token);
    await trellis.attempt('updateTeam', input, '__typename', secret);
    await recorded(viewer, perWindow + 1);
  });

  it('is recorded up to the limit of the user, however many tokens there are', async () => {
    const viewer = await newViewer();
    const input = { team: { name: all.team.name }, alias: 'x' };
    for (const name of ['one', 'two', 'three', 'four']) {
      const { secret } = await trellis.succeed('createAccessToken', { name }, 'secret', viewer.token);
      for (let count = 0; count < 4; count++)
        await trellis.attempt('updateTeam', input, '__typename', secret);
    }
    // What another user is refused after it shows that nothing else is still to come.
    const other = await newViewer();
    await trellis.attempt('updateTeam', input, '__typename', other.token);
    await recorded(other, 1);
    await recorded(viewer, perCaller);
  });

  it('is not recorded if it is a read', async () => {
    const viewer = await newViewer();
    const read = await trellis.graphql('{ events { totalCount } }', {}, viewer.token);
    expect(read.errors?.[0]?.extensions.code).toBe('FORBIDDEN');
    await trellis.attempt('deleteTeam', { team: { name: all.team.name } }, '__typename', viewer.token);
    expect((await recorded(viewer, 1)).map(mutationOf)).toEqual(['deleteTeam']);
  });

  it('changes nothing, reaches those who follow the team, and is sealed', async () => {
    const viewer = await newViewer();
    const appId = all.application.appId;
    const read = () =>
      trellis.data('query ($by: ApplicationRef!) { application(by: $by) { updatedAt revision } }', {
        by: { appId },
      });
    const before = await read();
    const input = { application: { appId }, name: 'other' };
    await trellis.attempt('updateApplication', input, '__typename', viewer.token);
    await recorded(viewer, 1);
    expect(await read()).toEqual(before);
    await sealerOf(trellis).seal();
    expect(await verify(trellis)).toMatchObject({ unsealedEvents: 0, problem: undefined });
  });
});
