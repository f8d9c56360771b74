import { describe, expect, it } from 'vitest';
import { unique } from '../../support/fixtures.ts';
import { apply, exported, plan, shortly, tryApply, tryPlan } from '../../support/manifests.ts';
import { eventsOf } from '../../support/own-events.ts';
import { placeWithRuns } from '../../support/schedules.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();

const web = (schedules: string, more = '') =>
  `application: shop\ncomponents:\n  web:\n    image: nginx:1.29\n${more}${schedules}`;

const both = web(`    schedules:
      clean-up: { cron: "30  3 * * MON-FRI", command: [bin/clean-up, --all] }
      report:
        cron: 0 6 1 * *
        timeZone: Europe/Berlin
        command: [sh, -c, "report | mail"]
        concurrency: REPLACE
        timeoutSeconds: 600
        isPaused: true
`);

/** The schedules of the component, by name. */
async function schedulesOf(appId: number): Promise<{ [name: string]: any }> {
  const { application } = await trellis.data(
    `query ($by: ApplicationRef!) { application(by: $by) { components { nodes {
      uid revision hasUndeployedChanges
      schedules { nodes { uid name cron timeZone command concurrency timeoutSeconds isPaused nextRuns(first: 1) manifestId revision } }
    } } } }`,
    { by: { appId } },
  );
  const [component] = application.components.nodes;
  const { uid: componentId, revision, hasUndeployedChanges, schedules } = component;
  const byName = Object.fromEntries(schedules.nodes.map((each: any) => [each.name, each]));
  return { component: { componentId }, revision, hasUndeployedChanges, ...byName };
}

describe('schedules in a manifest', () => {
  it('are created, changed, left over and deleted by name, at once', async () => {
    const place = await placeWithRuns(trellis);
    const created = await plan(trellis, place, both);
    expect(shortly(created).slice(2)).toEqual([
      'CREATE SCHEDULE web clean-up cron: null -> 30 3 * * MON-FRI, command: null -> ["bin/clean-up","--all"]',
      'CREATE SCHEDULE web report cron: null -> 0 6 1 * *, timeZone: null -> Europe/Berlin, command: null -> ["sh","-c","report | mail"], concurrency: null -> REPLACE, timeoutSeconds: null -> 600, isPaused: null -> true',
    ]);
    expect(created.changes.slice(2).map(({ takesEffect }) => takesEffect)).toEqual(['AT_ONCE', 'AT_ONCE']);
    const { application } = await apply(trellis, place, both);
    expect(await plan(trellis, place, both)).toMatchObject({ changes: [], leftOver: [], adopted: [] });
    const first = await schedulesOf(application.appId);
    expect(first['clean-up']).toMatchObject({
      ...{ cron: '30 3 * * MON-FRI', timeZone: 'UTC', concurrency: 'FORBID', timeoutSeconds: 3600 },
      ...{ isPaused: false, manifestId: expect.any(Number), nextRuns: [expect.any(String)], revision: 1 },
    });
    expect(first.report).toMatchObject({ isPaused: true, nextRuns: [], timeoutSeconds: 600 });
    const [row] = await trellis.services.db.schedule.findManyByKeys({
      by: 'id',
      keys: [first['clean-up'].uid],
    });
    expect(row!.nextRunAt!.toISOString()).toBe(first['clean-up'].nextRuns[0]);

    const changed = web(
      `    schedules:\n      report: { isPaused: false, timeZone: null }\n      migrate: { cron: 0 0 1 1 *, command: [migrate] }\n`,
    );
    const planned = await plan(trellis, place, changed, { prune: 'OWNED' });
    expect(shortly(planned)).toEqual([
      'UPDATE SCHEDULE web report timeZone: Europe/Berlin -> UTC, isPaused: true -> false',
      'CREATE SCHEDULE web migrate cron: null -> 0 0 1 1 *, command: null -> ["migrate"]',
      'DELETE SCHEDULE web clean-up cron: 30 3 * * MON-FRI -> null',
    ]);
    expect((await plan(trellis, place, changed)).leftOver).toEqual([
      { object: 'SCHEDULE', component: 'web', name: 'clean-up' },
    ]);
    await apply(trellis, place, changed, { prune: 'OWNED', expectedPlan: planned.digest });
    const second = await schedulesOf(application.appId);
    expect(Object.keys(second).slice(3).sort()).toEqual(['migrate', 'report']);
    expect(second.report).toMatchObject({
      ...{ uid: first.report.uid, timeZone: 'UTC', isPaused: false, timeoutSeconds: 600, revision: 2 },
      nextRuns: [expect.any(String)],
    });
    // The component itself is as it was, and has nothing to deploy.
    expect([second.revision, second.hasUndeployedChanges]).toEqual([first.revision, false]);
    for (const [action, count] of [
      ['schedule.create', 3],
      ['schedule.update', 1],
      ['schedule.delete', 1],
    ] as const) {
      expect(await eventsOf(trellis, place.team.teamId, action)).toHaveLength(count);
    }
    const none = await plan(trellis, place, web('    schedules: {}\n'), { prune: 'OWNED' });
    expect(none.changes.map(({ action, name }) => `${action} ${name}`)).toEqual([
      'DELETE migrate',
      'DELETE report',
    ]);
    expect((await plan(trellis, place, web(''), { prune: 'OWNED' })).changes).toEqual([]);
  });

  it('are adopted as they are, and exported, but are no part of a release', async () => {
    const place = await placeWithRuns(trellis);
    const { application } = await apply(trellis, place, web(''));
    const { component } = await schedulesOf(application.appId);
    const input = { component, cron: '*/5 * * * *', command: ['./bin/tick', ''] };
    for (const name of [undefined, undefined, 'Every five']) {
      await trellis.succeed('createSchedule', { ...input, name }, '__typename');
    }
    const { document } = await exported(trellis, application.appId);
    expect(document).toContain(`    schedules:
      Every five:
        cron: "*/5 * * * *"
        command: [ ./bin/tick, "" ]
      tick:
        cron: "*/5 * * * *"
        command: [ ./bin/tick, "" ]
      tick-2:
        cron: "*/5 * * * *"
        command: [ ./bin/tick, "" ]
`);
    const again = await plan(trellis, place, document, { prune: 'OWNED' });
    expect(again.changes).toEqual([]);
    expect(again.adopted.map(({ object, name }) => `${object} ${name}`)).toEqual([
      'SCHEDULE Every five',
      'SCHEDULE tick',
      'SCHEDULE tick-2',
    ]);
    const paused = document.replace('tick-2:\n', 'tick-2:\n        isPaused: true\n');
    expect(shortly(await plan(trellis, place, paused))).toEqual([
      'ADOPT SCHEDULE web tick-2 isPaused: false -> true',
    ]);
    await apply(trellis, place, paused);
    const { changes } = await plan(trellis, place, web('    schedules: {}\n'), { prune: 'OWNED' });
    expect(changes).toHaveLength(3);

    await trellis.succeed('deployComponent', { component }, '__typename');
    const { component: deployed } = await trellis.data(
      'query ($by: ComponentRef!) { component(by: $by) { releases { nodes { number manifest } } } }',
      { by: component },
    );
    const [last] = deployed.releases.nodes;
    expect(last.manifest).not.toContain('schedules');
    await trellis.succeed('rollbackComponent', { component, release: 1 }, '__typename');
    const kept = await schedulesOf(application.appId);
    expect([kept.tick.isPaused, kept['tick-2'].isPaused]).toEqual([false, true]);
    expect(await exported(trellis, application.appId)).toMatchObject({
      document: expect.stringContaining('tick-2'),
      omitted: [],
    });
  });

  it('change the digest of a plan when somebody else changes them', async () => {
    const place = await placeWithRuns(trellis);
    const { application } = await apply(trellis, place, both);
    const changed = both.replace('600', '700');
    const { digest } = await plan(trellis, place, changed);
    const { report } = await schedulesOf(application.appId);
    const input = { schedule: { scheduleId: report.uid }, isPaused: false };
    await trellis.succeed('updateSchedule', input, '__typename');
    const refused = await tryApply(trellis, place, changed, { expectedPlan: digest });
    expect(refused).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('Plan the change again'),
    });
  });

  it('are refused with their place in the document', async () => {
    const place = await placeWithRuns(trellis);
    await apply(trellis, place, both);
    const entry = (text: string) => web(`    schedules:\n      report: { ${text} }\n`);
    for (const [document, path, line, column, words] of [
      [entry('cron: 0 25 * * *'), 'report.cron', 6, 23, 'hour must be'],
      [entry('timeZone: Mars/Base'), 'report.timeZone', 6, 27, 'time zone'],
      [entry('command: []'), 'report.command', 6, 26, '>=1'],
      [entry('command: null'), 'report.command', 6, 26, 'expected array'],
      [entry('concurrency: NEVER'), 'report.concurrency', 6, 30, '`forbid`, `replace`, `allow`'],
      [entry('timeoutSeconds: 0'), 'report.timeoutSeconds', 6, 33, '>=1'],
      [entry('suspend: true'), 'report.suspend', 6, 17, 'Unknown field'],
      [web('    schedules:\n      new: { cron: 0 0 * * * }\n'), 'new.command', 6, 12, 'Is required'],
      [web('    schedules:\n      new: { command: [x] }\n'), 'new.cron', 6, 12, 'Is required'],
    ] as const) {
      const { error } = await tryPlan(trellis, place, document);
      expect(error?.extensions).toMatchObject({
        code: 'INVALID_INPUT',
        issues: [
          {
            path: ['document', 'components', 'web', 'schedules', ...path.split('.')],
            message: expect.stringContaining(words),
            ...{ line, column },
          },
        ],
      });
    }
    const many = (count: number) =>
      Array.from({ length: count }, (_, index) => `      s${index}: { cron: 0 0 1 1 *, command: [x] }\n`);
    const tooMany = await tryPlan(trellis, place, web(`    schedules:\n${many(19).join('')}`));
    expect(tooMany.error?.extensions.issues[0].message).toContain('more than 20 schedules');
    const longer = await tryPlan(trellis, place, web(`    schedules:\n${many(21).join('')}`));
    expect(longer.error?.extensions.issues[0].message).toContain('at most 20 entries');
  });

  it('need a region that runs commands', async () => {
    const place = await trellis.createPlace();
    const { error } = await tryPlan(trellis, place, both);
    expect(error).toMatchObject({
      message: expect.stringMatching(
        /schedules\.clean-up \(line 6, column 7\): .* DECLARED, which has no cluster/,
      ),
      extensions: { code: 'CONFLICT' },
    });
    expect(await tryApply(trellis, place, both)).toMatchObject({ code: 'CONFLICT' });
  });
});

describe('the name of a schedule', () => {
  it('is unique in its component', async () => {
    const place = await placeWithRuns(trellis);
    const { application } = await apply(trellis, place, web(''));
    const { component } = await schedulesOf(application.appId);
    const create = (name?: string) =>
      trellis.attempt(
        'createSchedule',
        { component, name, cron: '0 0 1 1 *', command: ['/usr/bin/env', 'x'] },
        'schedule { uid name }',
      );
    const name = unique('nightly');
    const { schedule } = await create(name);
    expect(await create(name)).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining(name) });
    const other = (await create()).schedule;
    expect(other.name).toBe('env');
    const rename = (to: string) =>
      trellis.attempt(
        'updateSchedule',
        { schedule: { scheduleId: other.uid }, name: to },
        'schedule { name revision nextRuns(first: 1) }',
      );
    expect(await rename(name)).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining(name) });
    expect(await rename('env')).toMatchObject({ schedule: { name: 'env', revision: 1 } });
    expect(await rename('weekly')).toMatchObject({ schedule: { name: 'weekly', revision: 2 } });
    expect(await create('env')).toMatchObject({ schedule: { name: 'env' } });
    expect(await rename('')).toMatchObject({ code: 'INVALID_INPUT', issues: [{ path: ['input', 'name'] }] });
    expect(await eventsOf(trellis, place.team.teamId, 'schedule.update')).toMatchObject([
      { changes: { name: expect.anything() } },
    ]);
    expect(schedule.name).toBe(name);
  });
});
