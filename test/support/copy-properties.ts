import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultAlias } from '../../src/domain/port/model.ts';
import { copy, type Omission } from './copies.ts';
import { unique } from './fixtures.ts';
import { documents } from './manifest-documents.ts';
import { changePast, changesPast } from './manifest-properties.ts';
import { apply, elsewhere, exported } from './manifests.ts';
import { declaredWithRuns } from './schedules.ts';
import { startTrellis, type Trellis } from './trellis.ts';
import { rowsLeft } from './unchanged.ts';

let trellis: Trellis;

const isPlain = ({ component: _, port: __, ...settings }: Record<string, unknown>) =>
  JSON.stringify(settings) === JSON.stringify({ path: '/' });

/**
 * An exported application without what says which one it is, and with the names that follow from aliases. `omitted` is what a copy
 * leaves out; null for the copy itself, where only domains that components share are named.
 */
async function described(appId: number, omitted: readonly Omission[] | null): Promise<unknown> {
  const { application } = await trellis.data(
    `query ($by: ApplicationRef!) { application(by: $by) { components(first: 100, orderBy: { field: CREATED_AT, direction: DESC }) { nodes { name alias } } } }`,
    { by: { appId } },
  );
  // The first of those with one name, which is the oldest.
  const aliases = new Map<string, string>(
    application.components.nodes.map(({ name, alias }: { name: string; alias: string }) => [name, alias]),
  );
  const isOmitted = (kind: string, component: string, name: string) =>
    !!omitted?.some((each) => each.kind === kind && each.component === component && each.name === name);
  const { document } = await exported(trellis, appId, 'JSON');
  const { application: _, isolation: __, components = {}, routes = [], ...rest } = JSON.parse(document);
  const all = Object.entries<any>(components).map(([name, entry]) => {
    const alias = aliases.get(name)!;
    const ports = Object.entries<any>(entry.ports ?? {}).map(([number, port]) => [
      number,
      { isOuter: false, alias: defaultAlias(alias, Number(number)), ...port },
    ]);
    const volumes = Object.entries<any>(entry.volumes ?? {}).map(([volume, { snapshotSchedule, ...of }]) => [
      volume,
      isOmitted('SNAPSHOT_SCHEDULE', name, volume) ? of : { ...of, snapshotSchedule },
    ]);
    const schedules = Object.entries(entry.schedules ?? {}).filter(
      ([schedule]) => !isOmitted('SCHEDULE', name, schedule),
    );
    const names = { clusterName: alias, ...(ports.length > 0 && { serviceName: alias }) };
    return [name, { ...names, ...entry, ports, volumes, schedules }];
  });
  const others = routes.filter(
    (route: any) =>
      !isPlain(route) &&
      !(omitted === null && 'domain' in route) &&
      !isOmitted('HTTP_RULE', route.component, `${route.domain}${route.path ?? '/'}`) &&
      !isOmitted('TCP_RULE', route.component, route.endpoint),
  );
  return {
    ...rest,
    components: Object.fromEntries(all),
    routes: others.map((route: object) => JSON.stringify(route)).sort(),
  };
}

const equalsItsOriginal = fc.asyncProperty(documents, changesPast, async (generated, made) => {
  const place = await trellis.createPlace();
  const document = elsewhere(JSON.stringify(generated), unique('app'));
  const { application } = await apply(trellis, place, document);
  const { appId } = application;
  await changePast(trellis, made, appId);
  const before = await rowsLeft(trellis);
  const input = { application: { appId }, name: 'copy' };
  const planned = await copy(trellis, { ...input, dryRun: true });
  expect(await rowsLeft(trellis)).toEqual(before);
  const copied = await copy(trellis, input);
  expect(copied.omitted).toEqual(planned.omitted);
  const original = await described(appId, copied.omitted);
  expect(await described(copied.application!.appId, null)).toEqual(original);
  const all = { force: true, deleteVolumes: true };
  await trellis.succeed(
    'deleteApplication',
    { application: { appId: copied.application!.appId }, ...all },
    '__typename',
  );
  expect(await rowsLeft(trellis)).toEqual(before);
  await trellis.succeed('deleteApplication', { application: { appId }, ...all }, '__typename');
});

/** Copies and deletes so many generated applications, or as many as the environment asks for. */
export function describeCopyProperties(defaultRuns: number): void {
  const numRuns = Number(process.env.COPY_RUNS ?? defaultRuns);
  beforeAll(async () => {
    trellis = await startTrellis({ drivers: [declaredWithRuns] });
  });
  afterAll(() => trellis.close());

  describe('copies', () => {
    it(
      'equal their originals but for what they leave out, and leave nothing when they are deleted',
      {
        timeout: Math.max(480_000, numRuns * 5_000),
      },
      () => fc.assert(equalsItsOriginal, { numRuns, endOnFailure: true }),
    );
  });
}
