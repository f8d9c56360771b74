import type { Row } from '../../../db/tables.ts';
import { deleteMany, findByKeys, insertMany } from '../../../db/write/bulk.ts';
import type { StatementWrite } from '../../../db/write/change.ts';
import { ConflictError } from '../../../kernel/errors.ts';
import type { RemovalWrite } from '../../component/hooks.ts';
import type { PortWrite } from '../../port/hooks.ts';
import type { RegionHooks } from '../../region/hooks.ts';
import type { TeamHooks } from '../../team/hooks.ts';
import { domainsBelow } from './below-reads.ts';
import { baseOf, isBelow, isWildcard, wildcardsOver } from './domain-model.ts';
import { type Claim, requireSharedAlike } from './sharing-reads.ts';

/** The team that claims a domain, in a transaction that has locked the region, which serializes its claims. */
type Claimant = Pick<PortWrite, 'context' | 'tx' | 'region' | 'team'>;

const belongsToAnother = (name: string, { name: region }: Row<'Region'>) =>
  new ConflictError(`The domain ${name} belongs to another team in the region ${region}.`, name);

/**
 * The region's HTTP domain and all names below it belong to the platform. Below it, names under the name of a team
 * belong to that team, even before the team exists.
 */
function requireNotReserved({ region, team }: Claimant, name: string): void {
  const own = region.httpDomain;
  const base = baseOf(name);
  if (base === own || (isWildcard(name) && isBelow(own, base))) {
    throw new ConflictError(`The domain ${name} belongs to the platform in the region ${region.name}.`, name);
  }
  if (!isBelow(base, own)) return;
  const owner = base
    .slice(0, -own.length - 1)
    .split('.')
    .at(-1)!;
  if (owner === team.name) return;
  throw new ConflictError(
    `The domain ${name} belongs to the platform in the region ${region.name}. Below ${own} the team ${team.name} can only use names under ${team.name}.${own}.`,
    name,
  );
}

/** CONFLICT if the region got another HTTP domain after it was read and before it was locked. */
async function requireSameDomain({ tx, region }: Claimant): Promise<void> {
  const now = await tx.region.findUnique({ where: { id: region.id }, select: { httpDomain: true } });
  if (now?.httpDomain !== region.httpDomain) {
    throw new ConflictError(`The domain of the region ${region.name} changed at the same time. Try again.`);
  }
}

/**
 * Claims the domains for the team. CONFLICT if another team owns a domain, or one
 * that overlaps with it: a wildcard covers all names below it, at any depth. Also if a component of the team has it that the
 * caller may not change.
 */
export async function claimDomains(claimant: Claimant, claims: readonly Claim[]): Promise<void> {
  const { region, team } = claimant;
  if (claims.length === 0) return;
  const names = [...new Set(claims.map(({ domain }) => domain))];
  await requireSameDomain(claimant);
  const inRegion = { where: { field: 'regionId', is: region.id } } as const;
  for (const name of names) requireNotReserved(claimant, name);
  const covering = [...new Set(names.flatMap((name) => [name, ...wildcardsOver(name)]))];
  const there = await findByKeys(claimant, 'Domain', 'name', covering, ['name'], inRegion);
  const owners = new Map(there.map(({ name, teamId }) => [name, teamId]));
  for (const name of names) {
    const isTaken = [name, ...wildcardsOver(name)].some((each) => (owners.get(each) ?? team.id) !== team.id);
    if (isTaken) throw belongsToAnother(name, region);
  }
  const [below] = await domainsBelow(claimant, names.filter(isWildcard), 'others');
  if (below) throw belongsToAnother(below.wildcard, region);
  await requireSharedAlike(claimant, claims);
  await insertMany(
    claimant,
    'Domain',
    names.filter((name) => !owners.has(name)).map((name) => ({ regionId: region.id, name, teamId: team.id })),
  );
}

/** Releases the domains of removed or changed rules that no rule uses any more, in few statements. */
export async function releaseDomains(
  write: Pick<RemovalWrite, 'context' | 'tx' | 'region' | 'recordEvent'>,
  last: readonly (Claim & Pick<Row<'HttpRule'>, 'id'>)[],
): Promise<void> {
  const names = [...new Set(last.map(({ domain }) => domain))];
  const inRegion = { where: { field: 'regionId', is: write.region.id } } as const;
  const used = await findByKeys(write, 'HttpRule', 'domain', names, ['id'], {
    fields: ['id', 'domain'],
    ...inRegion,
  });
  const left = new Set(last.map(({ id }) => id));
  const kept = new Set(used.flatMap(({ id, domain }) => (left.has(id) ? [] : domain)));
  const free = names.filter((name) => !kept.has(name));
  const domains = await findByKeys(write, 'Domain', 'name', free, ['name'], inRegion);
  await deleteDomains(write, domains, last);
}

/** The events belong to the components whose rules were the last with the domains: others may not see them. */
async function deleteDomains(
  write: Pick<StatementWrite, 'context' | 'tx' | 'recordEvent'>,
  domains: readonly Row<'Domain'>[],
  last: readonly Claim[] = [],
): Promise<void> {
  await deleteMany(
    write,
    'Domain',
    ['regionId', 'name'],
    domains.map(({ regionId, name }) => [regionId, name]),
  );
  const lastOf = new Map(last.map((rule) => [rule.domain, rule]));
  for (const domain of domains) {
    const { name, teamId } = domain;
    const rule = lastOf.get(name);
    write.recordEvent({
      action: 'domain.release',
      subject: { type: 'Domain', id: name },
      teamId,
      ...(rule && { applicationId: rule.applicationId, componentId: rule.componentId }),
      before: domain,
    });
  }
}

async function removeDomains(write: StatementWrite, teamId: string, regionId?: string): Promise<void> {
  const domains = await findByKeys(write, 'Domain', 'teamId', [teamId], ['regionId', 'name'], {
    ...(regionId !== undefined && { where: { field: 'regionId', is: regionId } }),
  });
  await deleteDomains(write, domains);
}

export const domainsOfTeam: TeamHooks = {
  deleting: (write, team) => removeDomains(write, team.id),
};

export const domainsInTeamRegion: RegionHooks = {
  closing: (write, team, region) => removeDomains(write, team.id, region.id),
};
