import { randomUUID } from 'node:crypto';
import type { Context } from '../context.ts';
import { change } from '../db/change.ts';
import type { Row } from '../db/tables.ts';
import { fold } from '../kernel/validate.ts';
import { requireTeam } from '../team/reads.ts';
import { requireAdministrator } from '../user/reads.ts';
import type { CreateRegion, OpenTeamRegion } from './model.ts';
import { requireRegion } from './reads.ts';

export async function createRegion(context: Context, input: CreateRegion): Promise<Row<'Region'>> {
  requireAdministrator(context, 'create regions');
  const alias = input.alias ?? input.name;
  const sealed = (secret: string | null | undefined) => (secret ? context.seal.close(secret) : null);
  return change(
    context,
    'region.create',
    async (tx, record) => {
      const region = await tx.region.create({
        data: {
          id: randomUUID().replaceAll('-', ''),
          enterpriseId: context.actor.enterpriseId,
          name: input.name,
          alias,
          url: input.url,
          websocketUrl: input.websocketUrl,
          httpDomain: input.httpDomain,
          tcpDomain: input.tcpDomain,
          status: input.status ?? 'enabled',
          description: input.description ?? '',
          cpuCores: input.cpuCores ?? 0,
          memoryMiB: input.memoryMiB ?? 0,
          diskGiB: input.diskGiB ?? 0,
          sealedToken: sealed(input.credentials?.token),
          sealedCaCertificate: sealed(input.credentials?.caCertificate),
          sealedClientCertificate: sealed(input.credentials?.clientCertificate),
          sealedClientKey: sealed(input.credentials?.clientKey),
          createdAt: new Date(),
          folded: fold(input.name, alias),
        },
      });
      record({ subject: { type: 'Region', id: region.id }, after: region });
      return region;
    },
    () => `There is a region named ${input.name} already.`,
  );
}

/** Opens a region for a team. */
export async function openTeamRegion(
  context: Context,
  input: OpenTeamRegion,
): Promise<{ team: Row<'Team'>; region: Row<'Region'> }> {
  const team = await requireTeam(context, input.team, 'admin');
  const region = await requireRegion(context, input.region);
  await change(
    context,
    'team.open_region',
    async (tx, record) => {
      const opened = await tx.teamRegion.create({
        data: {
          teamId: team.id,
          regionId: region.id,
          cpuQuotaMillicores: input.cpuQuotaMillicores ?? 0,
          memoryQuotaMiB: input.memoryQuotaMiB ?? 0,
          openedAt: new Date(),
        },
      });
      record({ subject: { type: 'Team', id: team.id }, teamId: team.id, after: opened });
    },
    () => `The region ${region.name} is opened for the team ${team.name} already.`,
  );
  return { team, region };
}
