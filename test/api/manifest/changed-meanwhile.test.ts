import { describe, expect, it } from 'vitest';
import { type Place, unique } from '../../support/fixtures.ts';
import { apply, exported, plan, tryApply } from '../../support/manifests.ts';
import { meanwhile } from '../../support/meanwhile.ts';
import { declaredWithRuns } from '../../support/schedules.ts';
import { useTrellis } from '../../support/trellis.ts';
import { type Edit, upgradesOf } from '../../support/upgrades.ts';

const trellis = useTrellis({ drivers: [declaredWithRuns] });

const written = (application: string, image: string) => `
application: ${application}
note: Written
components:
  web:
    image: ${image}
    memoryMiB: 256
    replicas: 1
    variables: { MODE: one, TOKEN: { value: x, isSecret: true } }
    volumes:
      data: { path: /data, type: share-file, snapshotSchedule: { cron: 0 0 1 1 *, keep: 1 } }
      conf: { path: /conf, type: config-file, fileContent: one }
    ports: { 80: { protocol: http }, 90: { protocol: tcp } }
    schedules: { clean: { cron: 0 0 1 1 *, command: [clean] } }
    dependsOn: [db]
    serviceName: web-${application}
  db: { image: "postgres:17", ports: { 5432: { protocol: tcp } } }
routes:
  - { component: web, port: 80, domain: www.${application}.example, weight: 50 }
`;

/** An application with a manifest, and its components. */
async function applied(place: Place) {
  const name = unique('app');
  const { application } = await apply(trellis, place, written(name, 'nginx:1'));
  const { application: read } = await trellis.data(
    `query ($appId: Int!) { application(by: { appId: $appId }) {
      components(first: 10) { nodes { uid name schedules(first: 5) { nodes { uid } } } }
      gatewayRules { http(first: 5) { nodes { uid domain } } }
    } }`,
    { appId: application.appId },
  );
  const [db, web] = read.components.nodes;
  const rule = read.gatewayRules.http.nodes.find(({ domain }: { domain: string }) =>
    domain.startsWith('www.'),
  );
  return {
    name,
    application: { appId: application.appId },
    web: { componentId: web.uid },
    db: { componentId: db.uid },
    schedule: { scheduleId: web.schedules.nodes[0].uid },
    rule: { httpRuleId: rule.uid },
  };
}
type Applied = Awaited<ReturnType<typeof applied>>;

const at = (component: object, name: string) => ({ at: { component, name } });
const portOf = (component: object, number: number) => ({ at: { component, number } });

/** What others change between a plan and its transaction. */
const changes: [mutation: string, what: string, inputOf: (of: Applied) => object][] = [
  ['updateApplication', 'the application', ({ application }) => ({ application, note: 'Other' })],
  ['updateComponent', 'a component', ({ web }) => ({ component: web, memoryMiB: 512 })],
  ['scaleComponent', 'the size of a component', ({ web }) => ({ component: web, replicas: 3 })],
  ['deployComponent', 'what is deployed', ({ web }) => ({ component: web })],
  ['deleteComponent', 'that there is a component', ({ web }) => ({ component: web, force: true })],
  ['setVariables', 'a variable', ({ web }) => ({ component: web, set: [{ name: 'MODE', value: 'two' }] })],
  ['setVariables', 'a secret', ({ web }) => ({ component: web, set: [{ name: 'TOKEN', value: 'y' }] })],
  ['setVariables', 'that there is a variable', ({ web }) => ({ component: web, remove: [{ name: 'MODE' }] })],
  ['updateVolume', 'a volume', ({ web }) => ({ volume: at(web, 'conf'), fileContent: 'two' })],
  ['deleteVolume', 'that there is a volume', ({ web }) => ({ volume: at(web, 'conf') })],
  [
    'setSnapshotSchedule',
    'a snapshot schedule',
    ({ web }) => ({ volume: at(web, 'data'), cron: '0 0 2 1 *', keep: 2 }),
  ],
  ['changePortProtocol', 'a port', ({ web }) => ({ port: portOf(web, 90), protocol: 'UDP' })],
  ['deletePort', 'that there is a port', ({ web }) => ({ port: portOf(web, 90) })],
  ['addPort', 'ports that there are not', ({ db }) => ({ component: db, number: 81, protocol: 'TCP' })],
  ['updateSchedule', 'a schedule', ({ schedule }) => ({ schedule, command: ['other'] })],
  ['deleteSchedule', 'that there is a schedule', ({ schedule }) => ({ schedule })],
  ['deleteDependency', 'a dependency', ({ web, db }) => ({ component: web, dependency: db })],
  ['updateHttpRule', 'a route', ({ rule }) => ({ rule, weight: 7 })],
  ['deleteGatewayRule', 'that there is a route', ({ rule }) => ({ rule })],
];

/** The transactions that work takes, each with its statements. */
async function transactionsOf<T>(work: () => Promise<T>): Promise<{ result: T; transactions: string[][] }> {
  const { db } = trellis.services;
  const { transaction } = db;
  const transactions: string[][] = [];
  db.transaction = (within, signal) => {
    const statements: string[] = [];
    transactions.push(statements);
    return transaction((tx) => {
      trellis.statements.length = 0;
      return within(tx).finally(() => statements.push(...trellis.statements));
    }, signal);
  };
  const result = await work().finally(() => {
    db.transaction = transaction;
  });
  return { result, transactions };
}

describe('an apply', () => {
  it.each(changes)('that is overtaken by %s makes up for %s', async (mutation, _, inputOf) => {
    const place = await trellis.createPlace();
    const of = await applied(place);
    const document =
      `${written(of.name, 'nginx:2')}  - { component: db, port: 81, domain: db.${of.name}.example }`.replace(
        '5432: { protocol: tcp }',
        '5432: { protocol: tcp }, 81: { protocol: http }',
      );
    const { result, hasRun } = await meanwhile(
      trellis,
      () => trellis.succeed(mutation, inputOf(of), '__typename'),
      () => tryApply(trellis, place, document, { allowsDestruction: true }),
    );
    expect([hasRun, result]).toMatchObject([true, { __typename: 'ApplyManifestPayload' }]);
    const { changes: left } = await plan(trellis, place, document);
    expect(left).toEqual([]);
    expect((await exported(trellis, of.application.appId)).document).toContain('nginx:2');
  });

  it('that nothing has overtaken reads before its transaction, and only checks there what it has read', async () => {
    const place = await trellis.createPlace();
    const { name } = await applied(place);
    const { transactions } = await transactionsOf(() =>
      apply(trellis, place, written(name, 'nginx:2'), { deploy: 'NONE' }),
    );
    expect(transactions.length).toBe(1);
    const reads = transactions[0]!.filter((text) =>
      /^SELECT (?!CAST).* FROM "?(environment_variable|volume)"? t /.test(text),
    );
    expect(
      reads.filter((text) => /t\."(value|file_content)"/.test(text) && !/octet_length/.test(text)),
    ).toEqual([]);
  });

  it('plans in its transaction after it was overtaken twice', async () => {
    const place = await trellis.createPlace();
    const { name, application } = await applied(place);
    const { db } = trellis.services;
    const { transaction } = db;
    let overtaken = 0;
    db.transaction = async (work, signal) => {
      if (signal && overtaken < 10 && overtaken % 2 === 0) {
        overtaken++;
        await trellis.succeed('updateApplication', { application, note: unique('note') }, '__typename');
      } else if (signal) overtaken++;
      return transaction(work, signal);
    };
    const document = written(name, 'nginx:2');
    const result = await tryApply(trellis, place, document).finally(() => {
      db.transaction = transaction;
    });
    expect(result).toMatchObject({ __typename: 'ApplyManifestPayload' });
    expect((await plan(trellis, place, document)).changes).toEqual([]);
  });

  it('is refused if others have taken a name, or created the application', async () => {
    const place = await trellis.createPlace();
    const other = await trellis.createApplication(place);
    const alias = unique('gr');
    const document = `application: ${unique('app')}\ncomponents: { web: { image: nginx, alias: ${alias} } }`;
    const { result } = await meanwhile(
      trellis,
      () => trellis.createComponent(other.appId, { alias }),
      () => tryApply(trellis, place, document),
    );
    expect(result).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining(alias) });
    const counts = await trellis.counts();
    const created = `application: ${unique('app')}`;
    const { result: second } = await meanwhile(
      trellis,
      () => apply(trellis, place, created),
      () => tryApply(trellis, place, created),
    );
    expect(second).toMatchObject({ code: 'CONFLICT' });
    expect((await trellis.counts()).application).toBe(counts.application! + 1);
  });

  it('changes nothing if the token was revoked, or the plan is no longer the one that was reviewed', async () => {
    const place = await trellis.createPlace();
    const of = await applied(place);
    const document = written(of.name, 'nginx:2');
    const { digest } = await plan(trellis, place, document);
    const expected = await meanwhile(
      trellis,
      () =>
        trellis.succeed(
          'setVariables',
          { component: of.web, set: [{ name: 'A', value: 'b' }] },
          '__typename',
        ),
      () => tryApply(trellis, place, document, { expectedPlan: digest }),
    );
    expect(expected.result).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('reviewed') });
    const developer = await trellis.createMember(place.team.teamId, 'DEVELOPER');
    const refused = await meanwhile(
      trellis,
      () =>
        trellis.succeed(
          'removeTeamMember',
          { team: { teamId: place.team.teamId }, user: { userId: developer.userId } },
          '__typename',
        ),
      () => attemptAs(developer.token, place, document),
    );
    expect(refused.hasRun).toBe(true);
    expect(refused.result).not.toBe('ApplyManifestPayload');
    expect((await exported(trellis, of.application.appId)).document).toContain('nginx:1');
  });
});

const attemptAs = (token: string, place: Place, document: string): Promise<string> =>
  tryApply(trellis, place, document, {}, token).then(
    (result) => result.__typename,
    (error: Error) => error.message,
  );

describe('a change of many components', () => {
  const modeOf = async (componentId: string) => {
    const { component } = await trellis.data(
      `query ($by: ComponentRef!) { component(by: $by) {
        variables(first: 20) { nodes { name value } }
        releases(first: 1) { nodes { manifest } }
      } }`,
      { by: { componentId } },
    );
    const { value } = component.variables.nodes.find(({ name }: { name: string }) => name === 'MODE');
    return { value, deployed: component.releases.nodes[0]?.manifest };
  };

  it('deploys what there is when it has the locks', async () => {
    const place = await trellis.createPlace();
    const { application, web } = await applied(place);
    const set = [{ name: 'MODE', value: 'overtaken' }];
    const { result, hasRun } = await meanwhile(
      trellis,
      () => trellis.succeed('setVariables', { component: web, set }, '__typename'),
      () => trellis.succeed('deployApplication', { application }, '__typename'),
    );
    expect([hasRun, result]).toEqual([true, { __typename: 'DeployApplicationPayload' }]);
    expect((await modeOf(web.componentId)).deployed).toContain('MODE: overtaken');
  });

  it('keeps in an upgrade what a user has just set', async () => {
    const { installed, upgrade, componentsOf } = upgradesOf(trellis);
    const mode =
      (value: string): Edit =>
      (app) =>
        app.service_env_map_list.push({
          name: 'Mode',
          attr_name: 'MODE',
          attr_value: value,
          is_change: true,
        });
    const { appId, key } = await installed(2, [mode('one'), mode('two')]);
    const [first, second] = await componentsOf(appId);
    const set = [{ name: 'MODE', value: 'mine' }];
    const { result, hasRun } = await meanwhile(
      trellis,
      () => trellis.succeed('setVariables', { component: { componentId: first.uid }, set }, '__typename'),
      () => upgrade(appId, key),
    );
    expect([hasRun, result]).toMatchObject([true, { __typename: 'UpgradeApplicationPayload' }]);
    expect((await modeOf(first.uid)).value).toBe('mine');
    expect((await modeOf(second.uid)).value).toBe('two');
  });

  it('gives new components names that others have not just taken', async () => {
    const { installed, install, componentsOf } = upgradesOf(trellis);
    const named: Edit = (app, index) => {
      app.port_map_list[0].cluster_service_name = `named-${index}`;
    };
    const { place, key } = await installed(1, [named]);
    const create = () => trellis.createApplication(place, unique('app'), { isolation: 'TEAM' });
    const [one, other] = [await create(), await create()];
    const { hasRun } = await meanwhile(
      trellis,
      () => install(one.appId, key),
      () => install(other.appId, key),
    );
    expect(hasRun).toBe(true);
    const names = await Promise.all(
      [one, other].map(async ({ appId }) => (await componentsOf(appId))[0].serviceName),
    );
    expect(names.sort()).toEqual(['named-0', 'named-0-2']);
  });
});
