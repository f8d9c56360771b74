import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { change } from '../../db/write/change.ts';
import { requireTeam, requireTeamAdministrator } from '../team/reads.ts';
import { requireAdministrator } from '../user/reads.ts';
import type { CreateRegion, OpenTeamRegion, SetTeamQuota } from './model.ts';
import { requireRegion, requireTeamRegion } from './reads.ts';
import { insertRegion, insertTeamRegion, setQuota } from './rows.ts';

export async function createRegion(context: Context, input: CreateRegion): Promise<Row<'Region'>> {
  requireAdministrator(context, 'create regions');
  const alias = input.alias ?? input.name;
  const sealed = (secret: string | null | undefined) => (secret ? context.seal.close(secret) : null);
  return change(
    context,
    'region.create',
    (write) =>
      insertRegion(write, {
        enterpriseId: context.actor.enterpriseId,
        name: input.name,
        alias,
        url: input.url,
        websocketUrl: input.websocketUrl,
        httpDomain: input.httpDomain,
        tcpDomain: input.tcpDomain,
        status: input.status ?? 'enabled',
        description: input.description ?? '',
        scope: input.scope ?? 'private',
        cpuCores: input.cpuCores ?? 0,
        memoryMiB: input.memoryMiB ?? 0,
        diskGiB: input.diskGiB ?? 0,
        sealedToken: sealed(input.credentials?.token),
        sealedCaCertificate: sealed(input.credentials?.caCertificate),
        sealedClientCertificate: sealed(input.credentials?.clientCertificate),
        sealedClientKey: sealed(input.credentials?.clientKey),
      }),
    () => `A region named ${input.name} already exists.`,
  );
}

/** Opens a region for a team. Private regions and quotas require an enterprise administrator. */
export async function openTeamRegion(
  context: Context,
  input: OpenTeamRegion,
): Promise<{ team: Row<'Team'>; region: Row<'Region'> }> {
  const team = await requireTeam(context, input.team, 'admin');
  const region = await requireRegion(context, input.region);
  if (region.scope !== 'public') requireTeamAdministrator(context, team, 'open private regions');
  if (input.cpuQuotaMillicores != null || input.memoryQuotaMiB != null) {
    requireTeamAdministrator(context, team, 'set quotas');
  }
  await change(
    context,
    'team.open_region',
    (write) =>
      insertTeamRegion(write, {
        teamId: team.id,
        regionId: region.id,
        cpuQuotaMillicores: input.cpuQuotaMillicores ?? 0,
        memoryQuotaMiB: input.memoryQuotaMiB ?? 0,
      }),
    () => `The region ${region.name} is already open for the team ${team.name}.`,
  );
  return { team, region };
}

/** Sets the quota of a team in a region. It can be lower than what deployed components already request. */
export async function setTeamQuota(
  context: Context,
  input: SetTeamQuota,
): Promise<{ team: Row<'Team'>; region: Row<'Region'> }> {
  const team = await requireTeam(context, input.team);
  requireTeamAdministrator(context, team, 'set quotas');
  const region = await requireTeamRegion(context, team, input.region);
  await change(context, 'team.set_quota', (write) => setQuota(write, team, region, input));
  return { team, region };
}
