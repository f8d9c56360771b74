import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { findByKeys } from '../../db/write/bulk.ts';
import { change } from '../../db/write/change.ts';
import { locked, lockedForDelete } from '../../db/write/locked.ts';
import { changeByStatements, type ObjectChange } from '../../db/write/plan.ts';
import { patched, requireRevision } from '../../db/write/revision.ts';
import { ConflictError } from '../../kernel/errors.ts';
import { nameList } from '../../kernel/name-list.ts';
import { requireTeamAdministrator, requireTeamFor } from '../team/reads.ts';
import { requireAdministrator } from '../user/reads.ts';
import { changedCluster, clusterOf } from './cluster-model.ts';
import { newAddresses, requireReachable, withKubeconfig } from './cluster-reads.ts';
import { regionHooks } from './hooks.ts';
import type {
  CloseTeamRegion,
  CreateRegion,
  DeleteRegion,
  OpenTeamRegion,
  SetTeamQuota,
  UpdateRegion,
} from './model.ts';
import { requireOwnNamespaces, requireSameNamespaces } from './namespace-reads.ts';
import { changedQueryCredentials } from './query-credential-model.ts';
import {
  lockTeamRegion,
  requireRegion,
  requireRegionFor,
  requireTeamRegion,
  type SealedField,
} from './reads.ts';
import {
  insertRegion,
  insertTeamRegion,
  removeRegion,
  removeTeamRegions,
  setQuota,
  setRegion,
} from './rows.ts';

export async function createRegion(context: Context, input: CreateRegion): Promise<Row<'Region'>> {
  requireAdministrator(context, 'createRegion');
  const { credentials, ...given } = await withKubeconfig(context, input);
  const driver = input.driver ?? 'declared';
  const addresses = newAddresses(driver, given);
  const alias = input.alias ?? input.name;
  const sealed = (secret: string | null | undefined) => (secret ? context.seal.close(secret) : null);
  return change(
    context,
    'region.create',
    async (write) => {
      const { enterpriseId } = context.actor;
      const cluster = changedCluster({ cluster: '{}' }, input.cluster);
      await requireOwnNamespaces(write, { enterpriseId, driver, url: addresses.url, cluster });
      return insertRegion(write, {
        enterpriseId,
        name: input.name,
        alias,
        ...addresses,
        status: input.status ?? 'enabled',
        description: input.description ?? '',
        scope: input.scope ?? 'private',
        driver,
        cluster,
        ...changedQueryCredentials(context.seal, null, cluster, input),
        cpuCores: input.cpuCores ?? 0,
        memoryMiB: input.memoryMiB ?? 0,
        diskGiB: input.diskGiB ?? 0,
        allowsRoot: input.allowsRoot ?? true,
        sealedToken: sealed(credentials?.token),
        sealedCaCertificate: sealed(credentials?.caCertificate),
        sealedClientCertificate: sealed(credentials?.clientCertificate),
        sealedClientKey: sealed(credentials?.clientKey),
      });
    },
    () => `A region named ${input.name} already exists.`,
  );
}

/** The columns that an update sets as they are given. */
const updatedColumns = [
  'alias',
  'url',
  'httpDomain',
  'tcpDomain',
  'websocketUrl',
  'status',
  'description',
  'scope',
  'cpuCores',
  'memoryMiB',
  'diskGiB',
  'allowsRoot',
] as const;

/** Changes a region. CONFLICT if another domain would change the address of a rule. */
export async function updateRegion(context: Context, given: UpdateRegion): Promise<Row<'Region'>> {
  const { id } = await requireRegionFor(context, given.region, 'updateRegion');
  const input = await withKubeconfig(context, given);
  return change(context, 'region.update', async (write) => {
    // Rules are added under this lock as well.
    const before = await locked(write, 'Region', id, input);
    const { url, httpDomain, tcpDomain, ...columns } = patched(
      before,
      { ...input, description: input.description === null ? '' : input.description },
      updatedColumns,
    );
    requireReachable(before.driver, url);
    const cluster = changedCluster(before, input.cluster);
    await requireSameNamespaces(write, before, cluster);
    await requireOwnNamespaces(write, { ...before, url, cluster }, before);
    const domains = {
      ...(httpDomain !== before.httpDomain && { httpDomain }),
      ...(tcpDomain !== before.tcpDomain && { tcpDomain }),
    };
    const losesIssuer =
      clusterOf(before).certificateIssuer !== null && clusterOf({ cluster }).certificateIssuer === null;
    for (const { domainsChanging, issuerRemoving } of regionHooks) {
      await domainsChanging?.(write, before, domains);
      if (losesIssuer) await issuerRemoving?.(write, before);
    }
    return setRegion(write, before, {
      ...domains,
      ...columns,
      url,
      cluster,
      ...replacedCredentials(context, before, input.credentials),
      ...changedQueryCredentials(context.seal, before, cluster, input),
    });
  });
}

const credentialFields = {
  token: 'sealedToken',
  caCertificate: 'sealedCaCertificate',
  clientCertificate: 'sealedClientCertificate',
  clientKey: 'sealedClientKey',
} as const;

/** The columns of the credentials that change. One that is given again stays as it is, so that no event is recorded. */
function replacedCredentials(
  { seal }: Context,
  region: Row<'Region'>,
  credentials: UpdateRegion['credentials'],
): { [field in SealedField]?: string | null } {
  if (credentials === undefined) return {};
  const columns: { [field in SealedField]?: string | null } = {};
  for (const [name, field] of Object.entries(credentialFields) as [
    keyof typeof credentialFields,
    SealedField,
  ][]) {
    const secret = credentials === null ? null : credentials[name];
    if (secret === undefined) continue;
    const sealed = region[field];
    if (sealed !== null && secret === seal.open(sealed)) continue;
    columns[field] = secret ? seal.close(secret) : null;
  }
  return columns;
}

/** Deletes a region. CONFLICT while it is open for a team. */
export async function deleteRegion(
  context: Context,
  input: DeleteRegion,
): Promise<{ region: Row<'Region'>; plan: ObjectChange[] }> {
  const { id } = await requireRegionFor(context, input.region, 'deleteRegion');
  const options = { ...input, deleted: [{ model: 'Region' as const, ids: [id] }] };
  const { result, plan } = await changeByStatements(context, 'region.delete', options, async (write) => {
    const region = await lockedForDelete(write, 'Region', id, input);
    const opened = await findByKeys(write, 'TeamRegion', 'regionId', [id], ['teamId'], {
      fields: ['teamId'],
    });
    const teamIds = opened.map(({ teamId }) => teamId);
    const teams = await findByKeys(write, 'Team', 'id', teamIds, ['name'], { fields: ['name'] });
    if (teams.length > 0) {
      const names = nameList(teams.map(({ name }) => name).sort());
      throw new ConflictError(
        `The region ${region.name} is open for ${teams.length === 1 ? 'the team' : 'teams:'} ${names}. Close it first.`,
      );
    }
    await removeRegion(write, region);
    return region;
  });
  return { region: result, plan };
}

/** Opens a region for a team. Private regions and quotas require an enterprise administrator. */
export async function openTeamRegion(
  context: Context,
  input: OpenTeamRegion,
): Promise<{ team: Row<'Team'>; region: Row<'Region'> }> {
  const team = await requireTeamFor(context, input.team, 'openTeamRegion');
  const region = await requireRegion(context, input.region);
  if (region.scope !== 'public')
    requireTeamAdministrator(context, team, 'openTeamRegion', 'open private regions');
  if (input.cpuQuotaMillicores != null || input.memoryQuotaMiB != null) {
    requireTeamAdministrator(context, team, 'setTeamQuota');
  }
  await change(
    context,
    'team.open_region',
    async (write) => {
      const now = await locked(write, 'Region', region.id);
      if (now.scope !== 'public')
        requireTeamAdministrator(context, team, 'openTeamRegion', 'open private regions');
      await insertTeamRegion(write, {
        teamId: team.id,
        regionId: region.id,
        cpuQuotaMillicores: input.cpuQuotaMillicores ?? 0,
        memoryQuotaMiB: input.memoryQuotaMiB ?? 0,
      });
    },
    () => `The region ${region.name} is already open for the team ${team.name}.`,
  );
  return { team, region };
}

/** Sets the quota of a team in a region. It can be lower than what deployed components already request. */
export async function setTeamQuota(
  context: Context,
  input: SetTeamQuota,
): Promise<{ team: Row<'Team'>; region: Row<'Region'> }> {
  const team = await requireTeamFor(context, input.team, 'setTeamQuota');
  const region = await requireTeamRegion(context, team, input.region);
  await change(context, 'team.set_quota', (write) => setQuota(write, team, region, input));
  return { team, region };
}

/** Closes a region for a team. CONFLICT while the team has applications or unfinished jobs in it. */
export async function closeTeamRegion(
  context: Context,
  input: CloseTeamRegion,
): Promise<{ team: Row<'Team'>; region: Row<'Region'>; plan: ObjectChange[] }> {
  const team = await requireTeamFor(context, input.team, 'closeTeamRegion');
  const region = await requireTeamRegion(context, team, input.region);
  // There are no applications, and so no rules with domains.
  const options = { ...input, deleted: [] };
  const { plan } = await changeByStatements(context, 'team.close_region', options, async (write) => {
    const opened = await lockTeamRegion(write, team.id, region.id);
    requireRevision(opened, input, 'quota');
    for (const { checkingClose } of regionHooks) await checkingClose?.(write, team, region);
    for (const { closing } of regionHooks) await closing?.(write, team, region);
    await removeTeamRegions(write, team.id, [opened]);
  });
  return { team, region, plan };
}
