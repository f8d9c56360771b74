import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { deleteMany, findByKeys, insertMany, updateMany } from '../../../db/write/bulk.ts';
import type { Write } from '../../../db/write/change.ts';
import { yieldToLoop } from '../../../kernel/event-loop.ts';
import { groupBy } from '../../../kernel/group.ts';
import { requireDeployable, requireStorable } from '../size/model.ts';
import { configurationSizes } from '../size/reads.ts';
import { openVariable } from '../variables/reads.ts';
import { type DeployedSpec, deployedColumns } from './deployment-model.ts';

type Component = Row<'Component'>;
type Dependency = Row<'ComponentDependency'>;

/** What a component is deployed with, encrypted. */
export interface SealedDeployment {
  component: Component;
  sealedSpec: string;
}

/**
 * What components are deployed with. Their variables and volumes are read in the transaction. CONFLICT if one has more than a
 * component can be deployed with, of which nothing is read.
 */
export async function sealDeployments(
  write: Write<Context>,
  components: readonly Component[],
  dependencies: readonly Dependency[],
): Promise<SealedDeployment[]> {
  if (components.length === 0) return [];
  const { context, tx } = write;
  const { seal, signal, budget } = context;
  const ids = components.map(({ id }) => id);
  const sizes = await configurationSizes(context.db, (text, params) => tx.$read(text, params), ids);
  requireDeployable(components, sizes);
  const idOf = ({ componentId }: { componentId: string }) => componentId;
  const variables = groupBy(await findByKeys(write, 'EnvironmentVariable', 'componentId', ids, ['id']), idOf);
  const volumes = groupBy(await findByKeys(write, 'Volume', 'componentId', ids, ['id']), idOf);
  const needed = groupBy(dependencies, idOf);
  const sealed: SealedDeployment[] = [];
  for (const component of components) {
    const own = [];
    for (const row of variables.get(component.id) ?? []) {
      const { id, componentId, revision, manifestId, ...variable } = openVariable(seal, row);
      own.push(variable);
      await yieldToLoop(signal);
    }
    const spec: DeployedSpec = {
      ...columnsOf(component),
      variables: own,
      volumes: (volumes.get(component.id) ?? []).map(
        ({ id, componentId, revision, manifestId, ...volume }) => volume,
      ),
      dependencies: (needed.get(component.id) ?? []).map(({ dependencyId }) => dependencyId),
    };
    const sealedSpec = seal.close(JSON.stringify(spec));
    requireStorable(component, sealedSpec);
    budget?.reserve(sealedSpec.length);
    sealed.push({ component, sealedSpec });
    await yieldToLoop(signal);
  }
  return sealed;
}

/** Stores what components are deployed with, and replaces what was stored before. */
export async function setDeployments(
  write: Write<Context>,
  deployments: readonly SealedDeployment[],
): Promise<void> {
  const deployedAt = new Date();
  await deleteMany(
    write,
    'Deployment',
    ['id'],
    deployments.map(({ component }) => [component.id]),
  );
  await insertMany(
    write,
    'Deployment',
    deployments.map(({ component, sealedSpec }) => ({ id: component.id, sealedSpec, deployedAt })),
  );
}

const columnsOf = (component: Component) =>
  Object.fromEntries(deployedColumns.map((field) => [field, component[field]])) as Pick<
    Component,
    (typeof deployedColumns)[number]
  >;

/** The components that were deployed in a region that carries out jobs. */
export async function withDeployment(write: Write, ids: readonly string[]): Promise<Set<string>> {
  const rows = await findByKeys(write, 'Deployment', 'id', ids, ['id'], { fields: ['id'] });
  return new Set(rows.map(({ id }) => id));
}

/** Changes columns of what components are deployed with. */
export async function changeDeployments(
  write: Write<Context>,
  changes: readonly { id: string; data: Partial<DeployedSpec> }[],
): Promise<void> {
  const { seal } = write.context;
  const datas = new Map(changes.map(({ id, data }) => [id, data]));
  const rows = await findByKeys(write, 'Deployment', 'id', [...datas.keys()], ['id']);
  await updateMany(
    write,
    'Deployment',
    rows.map(({ id, sealedSpec }) => {
      const spec = { ...JSON.parse(seal.open(sealedSpec)), ...datas.get(id) };
      return { id, data: { sealedSpec: seal.close(JSON.stringify(spec)) } };
    }),
  );
}
