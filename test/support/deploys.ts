import { declaredRegion } from '../../src/drivers/region/declared.ts';
import type { RegionDriver } from '../../src/drivers/region/driver.ts';
import type { Trellis } from './trellis.ts';

/** A cluster that has jobs carried out, although no worker of the test does so. */
export const queued: RegionDriver = { ...declaredRegion, name: 'queued', isImmediate: false };

export const useDriver = (trellis: Trellis, regionId: string, driver: string) =>
  trellis.services.db.transaction((tx) => tx.region.update({ where: { id: regionId }, data: { driver } }));

/** Components in one request, by their aliases, with what each has beside its name and image. */
export async function createComponents(
  trellis: Trellis,
  appId: number,
  inputs: { [alias: string]: object },
): Promise<{ [alias: string]: string }> {
  const names = Object.keys(inputs);
  const all = names.map(
    (_, index) =>
      `m${index}: createComponent(input: $i${index}) { ... on CreateComponentPayload { component { uid } } ... on Error { message } }`,
  );
  const variables = Object.fromEntries(
    names.map((name, index) => [
      `i${index}`,
      { application: { appId }, name, alias: name, image: 'nginx:1.29', ...inputs[name] },
    ]),
  );
  const types = names.map((_, index) => `$i${index}: CreateComponentInput!`).join(', ');
  const data = await trellis.data(`mutation M(${types}) { ${all.join('\n')} }`, variables);
  return Object.fromEntries(
    names.map((name, index) => {
      const made = data[`m${index}`];
      if (!made.component) throw new Error(`${name}: ${made.message}`);
      return [name, made.component.uid as string];
    }),
  );
}

/** The components of an application, by alias. */
export async function statesOf(trellis: Trellis, appId: number) {
  const rows = await trellis.services.db.transaction((tx) =>
    tx.component.findMany({ where: { applicationId: appId }, orderBy: { alias: 'asc' } }),
  );
  return Object.fromEntries(rows.map((row) => [row.alias, row]));
}

/** The jobs of an application with their components by name, newest first. */
export const jobsOf = (trellis: Trellis, appId: number) =>
  trellis.services.db.transaction((tx) =>
    tx.job.findMany({
      where: { applicationId: appId },
      orderBy: { id: 'desc' },
      include: { components: { orderBy: [{ step: 'asc' }, { componentName: 'asc' }] } },
    }),
  );
