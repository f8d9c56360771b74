import { batchedRow } from '../../../db/list.ts';
import type { Row } from '../../../db/tables.ts';
import type { DesiredVariable } from '../../../drivers/region/desired.ts';
import { RegionWorkError } from '../../../drivers/region/driver.ts';
import type { DesiredContext } from '../../job/desired-reads.ts';
import { dependencyList, volumeFields, volumesOf } from '../reads.ts';
import { bytesOf, deployedTooLarge, maxConfigurationBytes, maxStoredSpec } from '../size/model.ts';
import { configurationSizes, connectionSizes, deploymentSize } from '../size/reads.ts';
import { isDeployed } from '../state-model.ts';
import { openVariable, variablesOf } from '../variables/reads.ts';
import { reachingFrom } from './connection-reads.ts';
import type { DeployedSpec } from './deployment-model.ts';

const deploymentFields = ['id', 'sealedSpec', 'digest', 'pullsAlways'] as const;
const deploymentById = batchedRow('Deployment', 'id', deploymentFields);
const pendingById = batchedRow('PendingDeploy', 'id', deploymentFields);

/** More than a component can have. */
const all = { limit: 10_000, fromEnd: false };

interface Configuration {
  spec: DeployedSpec;
  /** Its own and those that its dependencies provide. */
  variables: DesiredVariable[];
  /** The digest that instances run, if it is known and not part of the image. */
  digest?: string | null;
  pullsAlways?: boolean;
}

/**
 * The spec of the last deploy of a component, or of one that is pending, and its connection variables as they are. A spec with more than a component can
 * have is not loaded: its work fails, and a component that is to be stopped is stopped without it.
 */
export async function deployedConfiguration(
  context: DesiredContext,
  component: Row<'Component'>,
  isPending: boolean,
): Promise<Configuration> {
  const configuration = await boundedConfiguration(context, component, isPending);
  if (configuration) return configuration;
  if (isDeployed(component)) {
    throw new RegionWorkError(deployedTooLarge(component.name), { isPermanent: true });
  }
  return { spec: await withoutFiles(context, component), variables: [] };
}

async function boundedConfiguration(
  context: DesiredContext,
  component: Row<'Component'>,
  isPending: boolean,
): Promise<Configuration | undefined> {
  const { db, seal } = context;
  const { id } = component;
  const query = (text: string, params: unknown[]) => db.query(text, params);
  const stored = await deploymentSize(db, query, { id, isPending });
  let spec: DeployedSpec;
  let image: Pick<Configuration, 'digest' | 'pullsAlways'> = {};
  if (stored !== undefined) {
    if (stored > maxStoredSpec) return undefined;
    const deployment = await (isPending ? pendingById : deploymentById)(context, id);
    if (!deployment) return undefined;
    spec = JSON.parse(seal.open(deployment.sealedSpec)) as DeployedSpec;
    image = { digest: deployment.digest, pullsAlways: deployment.pullsAlways };
  } else {
    const sizes = await configurationSizes(db, query, [id]);
    if ((sizes.get(id) ?? 0) > maxConfigurationBytes) return undefined;
    spec = await currentSpec(context, component);
  }
  const ownBytes = bytesOf(spec.variables) + bytesOf(spec.volumes);
  const provided = await connectionSizes(db, query, spec.dependencies);
  const providedBytes = [...provided.values()].reduce((sum, bytes) => sum + bytes, 0);
  if (ownBytes + providedBytes > maxConfigurationBytes) return undefined;
  return { ...image, spec, variables: await variablesFor(context, component, spec) };
}

async function withoutFiles({ db }: DesiredContext, component: Row<'Component'>): Promise<DeployedSpec> {
  const volumes = await db.volume.findManyByKeys({
    by: 'componentId',
    keys: [component.id],
    fields: volumeFields,
  });
  const emptied = volumes.map((volume) => ({ ...(volume as Row<'Volume'>), fileContent: '' }));
  return { ...component, variables: [], volumes: emptied, dependencies: [] };
}

/** Of a component that was deployed before its region had something to carry out. */
async function currentSpec(context: DesiredContext, component: Row<'Component'>): Promise<DeployedSpec> {
  const { db, seal } = context;
  const [keys, window] = [[component.id], all];
  const [variables, volumes, dependencies] = await Promise.all([
    db.environmentVariable.findManyByKeys({ by: 'componentId', keys }),
    db.volume.findPagesByKeys({ keys, spec: volumesOf(component.id).spec, window }),
    db.component.findPagesByKeys({ keys, spec: dependencyList('dependencies'), window }),
  ]);
  return {
    ...component,
    variables: variables.map((row) => openVariable(seal, row)),
    volumes: volumes.get(component.id)?.rows ?? [],
    dependencies: (dependencies.get(component.id)?.rows ?? []).map(({ id }) => id),
  };
}

/** Later variables override earlier ones of the same name. */
async function variablesFor(
  context: DesiredContext,
  component: Row<'Component'>,
  { dependencies, variables }: DeployedSpec,
): Promise<DesiredVariable[]> {
  const { db, seal } = context;
  const pages = await db.environmentVariable.findPagesByKeys({
    keys: dependencies,
    spec: variablesOf('', 'connection').spec,
    window: all,
  });
  const reaching = await reachingFrom(context, component, dependencies);
  const provided = dependencies.flatMap((id) =>
    (pages.get(id)?.rows ?? [])
      .map((row) => openVariable(seal, row))
      .map((variable) => ({ ...variable, value: reaching(id)(variable) })),
  );
  const ofScope = (scope: string) => variables.filter((variable) => variable.scope === scope);
  const byName = new Map<string, DesiredVariable>();
  for (const { name, value, isSecret } of [
    ...provided,
    ...ofScope('connection'),
    ...ofScope('environment'),
  ]) {
    byName.set(name, { name, value, isSecret });
  }
  return [...byName.values()];
}
