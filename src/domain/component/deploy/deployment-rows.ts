import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import { deleteByIds, findByKeys, insertMany, updateMany } from '../../../db/write/bulk.ts';
import type { Write } from '../../../db/write/change.ts';
import type { Reading } from '../../../db/write/reading.ts';
import { yieldInTransaction } from '../../../kernel/event-loop.ts';
import { groupBy } from '../../../kernel/group.ts';
import { requireDeployable, requireStorable } from '../size/model.ts';
import { configurationSizes } from '../size/reads.ts';
import type { NewVariable } from '../variables/many-rows.ts';
import { openVariable } from '../variables/reads.ts';
import { type DeployedSpec, deployedColumns, optionalColumns } from './deployment-model.ts';
import type { RunImage } from './image-model.ts';

type Component = Row<'Component'>;
type Dependency = Row<'ComponentDependency'>;

export interface SealedDeployment {
  component: Component;
  sealedSpec: string;
}

/** The configuration that a component is deployed with, and its image. Without one, the region runs none. */
export interface NewDeployment extends SealedDeployment {
  image?: RunImage | undefined;
}

/** The encrypted specs of components that were made before a transaction which has found that they still are as they were, by id. */
type SealedSpecs = ReadonlyMap<string, SealedDeployment>;

/** What a transaction does not have to read for its deploys. */
export interface Made {
  specs?: SealedSpecs;
  /** The variables of components that it has added, by the ids of these. It has checked how large they are. */
  variables?: ReadonlyMap<string, readonly NewVariable[]>;
}

/** Makes what a transaction will deploy, before it begins. */
export async function sealSpecs(
  reading: Reading<Context>,
  components: readonly Component[],
): Promise<SealedSpecs> {
  const ids = components.map(({ id }) => id);
  const dependencies = await findByKeys(reading, 'ComponentDependency', 'componentId', ids, [
    'componentId',
    'dependencyId',
  ]);
  const sealed = await sealDeployments(reading, components, dependencies);
  return new Map(sealed.map((each) => [each.component.id, each]));
}

/**
 * The specs that components are deployed with. Variables and volumes are read of those whose spec is not made yet. CONFLICT if one
 * has more than a component can be deployed with, of which nothing is read.
 */
export async function sealDeployments(
  write: Reading<Context>,
  all: readonly Component[],
  dependencies: readonly Dependency[],
  { specs: made = new Map(), variables }: Made = {},
): Promise<SealedDeployment[]> {
  const { seal, budget, signal } = write.context;
  const sealed = all.flatMap((component) => {
    const before = made.get(component.id);
    return before ? { component, sealedSpec: before.sealedSpec } : [];
  });
  const components = all.filter(({ id }) => !made.has(id));
  await requireReadable(
    write,
    components.filter(({ id }) => !variables?.has(id)),
  );
  for await (const { component, spec } of specsOf(write, components, dependencies, variables)) {
    const sealedSpec = seal.close(spec);
    requireStorable(component, sealedSpec);
    budget?.reserve(sealedSpec.length);
    sealed.push({ component, sealedSpec });
    await yieldInTransaction(signal);
  }
  return sealed;
}

/** In one order of its fields, because what is deployed is compared as text. */
const deployedVariable = (variable: NewVariable): DeployedSpec['variables'][number] => {
  const { name, label, value, isSecret, scope, isChangeable, portNumber } = variable;
  return { name, label, value, isSecret, scope, isChangeable, portNumber };
};

/** CONFLICT if components have more than they can be deployed with, of which nothing is read then. */
async function requireReadable({ context, tx }: Reading<Context>, components: readonly Component[]) {
  if (components.length === 0) return;
  const ids = components.map(({ id }) => id);
  // What they have is read afterwards, so that their sizes are not noted.
  const sizes = await configurationSizes(context.db, (tx.log ?? tx).$read, ids);
  requireDeployable(components, sizes, context.budget?.deployBytes);
}

/** The configurations that components would be deployed with, as JSON. Their sizes have been checked. */
async function* specsOf(
  write: Reading<Context>,
  components: readonly Component[],
  dependencies: readonly Dependency[],
  added: NonNullable<Made['variables']> = new Map(),
): AsyncGenerator<{ component: Component; spec: string }> {
  if (components.length === 0) return;
  const { seal, signal } = write.context;
  const ids = components.map(({ id }) => id);
  const storedIds = ids.filter((id) => !added.has(id));
  const idOf = ({ componentId }: { componentId: string }) => componentId;
  const rows = await findByKeys(write, 'EnvironmentVariable', 'componentId', storedIds, ['id']);
  const variables = groupBy(rows, idOf);
  const volumes = groupBy(await findByKeys(write, 'Volume', 'componentId', ids, ['id']), idOf);
  const needed = groupBy(dependencies, idOf);
  for (const component of components) {
    const ownVariables: DeployedSpec['variables'] = (added.get(component.id) ?? []).map(deployedVariable);
    for (const row of variables.get(component.id) ?? []) {
      ownVariables.push(deployedVariable(openVariable(seal, row)));
      await yieldInTransaction(signal);
    }
    const spec: DeployedSpec = {
      ...columnsOf(component),
      variables: ownVariables,
      volumes: (volumes.get(component.id) ?? []).map(
        ({ id, componentId, revision, manifestId, isShared, source, ...volume }) => ({
          ...volume,
          // Left out where they say nothing, for what was deployed before there were such volumes.
          ...(isShared && { isShared }),
          ...(source && { source }),
        }),
      ),
      dependencies: (needed.get(component.id) ?? []).map(({ dependencyId }) => dependencyId),
    };
    yield { component, spec: JSON.stringify(spec) };
  }
}

/** How many deployments are compared at once. Each can have megabytes. */
const comparedAtOnce = 10;

/** Those of components that would be deployed with what they were deployed with last, but for their image. */
export async function sameDeployments(
  write: Write<Context>,
  components: readonly Component[],
): Promise<Set<string>> {
  const { seal, signal } = write.context;
  const same = new Set<string>();
  await requireReadable(write, components);
  for (let at = 0; at < components.length; at += comparedAtOnce) {
    const some = components.slice(at, at + comparedAtOnce);
    const ids = some.map(({ id }) => id);
    const stored = await findByKeys(write, 'Deployment', 'id', ids, ['id'], { fields: ['id', 'sealedSpec'] });
    const specs = new Map(stored.map((row) => [row.id, row.sealedSpec]));
    const dependencies = await findByKeys(write, 'ComponentDependency', 'componentId', ids, [
      'componentId',
      'dependencyId',
    ]);
    for await (const { component, spec } of specsOf(write, some, dependencies)) {
      const before = specs.get(component.id);
      if (before !== undefined && seal.open(before) === spec) same.add(component.id);
      await yieldInTransaction(signal);
    }
  }
  return same;
}

/** Stores what components are deployed with, and replaces what was stored before. */
export async function setDeployments(
  write: Write<Context>,
  deployments: readonly NewDeployment[],
): Promise<void> {
  const deployedAt = new Date();
  await deleteByIds(
    write,
    'Deployment',
    deployments.map(({ component }) => component.id),
  );
  await insertMany(
    write,
    'Deployment',
    deployments.map((each) => deploymentRow(each, deployedAt)),
  );
}

export const deploymentRow = ({ component, sealedSpec, image }: NewDeployment, deployedAt: Date) => ({
  id: component.id,
  sealedSpec,
  deployedAt,
  image: component.image,
  ...columnsOfImage(image),
});

/** Changes the digests with which components run. */
export const setDeployedImages = (
  write: Write<Context>,
  images: ReadonlyMap<string, Partial<RunImage>>,
): Promise<void> =>
  updateMany(
    write,
    'Deployment',
    [...images].map(([id, image]) => ({ id, data: columnsOfImage(image) })),
  );

const columnsOfImage = ({
  digest = null,
  resolvedAt = null,
  isPinned = false,
  pullsAlways = false,
}: Partial<RunImage> = {}) => ({ digest, resolvedAt, isPinned, pullsAlways });

const columnsOf = (component: Component) =>
  stored(
    Object.fromEntries(deployedColumns.map((field) => [field, component[field]])) as Pick<
      Component,
      (typeof deployedColumns)[number]
    >,
  );

/** Without the columns that are left out while they are null. */
function stored<S extends Partial<DeployedSpec>>(spec: S): S {
  for (const column of optionalColumns) if (spec[column] === null) delete spec[column];
  if (spec.preDeployCommand === undefined) delete spec.preDeployTimeoutSeconds;
  return spec;
}

/** The components that were deployed in a region that carries out jobs. */
export async function withDeployment(write: Write, ids: readonly string[]): Promise<Set<string>> {
  const rows = await findByKeys(write, 'Deployment', 'id', ids, ['id'], { fields: ['id'] });
  return new Set(rows.map(({ id }) => id));
}

/** Changes columns of what components are deployed with, or will be once the command before their deploy has succeeded. */
export async function changeDeployments(
  write: Write<Context>,
  changes: readonly { id: string; data: Partial<DeployedSpec> }[],
): Promise<void> {
  const { seal } = write.context;
  const datas = new Map(changes.map(({ id, data }) => [id, data]));
  const changesOf = async (model: 'Deployment' | 'PendingDeploy') => {
    const fields = ['id', 'sealedSpec'] as const;
    const rows = await findByKeys(write, model, 'id', [...datas.keys()], ['id'], { fields });
    return rows.map(({ id, sealedSpec }) => {
      const spec = stored({ ...JSON.parse(seal.open(sealedSpec)), ...datas.get(id) });
      return { id, data: { sealedSpec: seal.close(JSON.stringify(spec)) } };
    });
  };
  await updateMany(write, 'Deployment', await changesOf('Deployment'));
  await updateMany(write, 'PendingDeploy', await changesOf('PendingDeploy'));
}
