import type { Transaction } from '../../db/open.ts';
import type { Row } from '../../db/tables.ts';
import { ConflictError } from '../../kernel/errors.ts';
import { nameList, nameListQuery } from '../../kernel/name-list.ts';
import type { RegionHooks } from '../region/hooks.ts';
import { wildcardsOver } from './http/domain-model.ts';
import { anyAddresses, formatEndpoint } from './tcp/endpoint-model.ts';

const atOrBelow = (field: 'domain' | 'name', domain: string) => [
  { [field]: domain },
  { [field]: { endsWith: `.${domain}` } },
];

/** CONFLICT if rules of the region use its HTTP domain. */
async function requireUnusedHttpDomain(tx: Transaction, region: Row<'Region'>): Promise<void> {
  const where = { regionId: region.id, OR: atOrBelow('domain', region.httpDomain) };
  const rules = await tx.httpRule.findMany({ where, select: { domain: true }, ...byId, ...nameListQuery });
  if (rules.length === 0) return;
  const names = nameList(rules.map(({ domain }) => domain));
  throw new ConflictError(
    `The HTTP domain of the region ${region.name} is in use by the rules of ${names}. Delete them first.`,
  );
}

/** CONFLICT if rules of the region are reached at its TCP domain, as those are that listen on all addresses. */
async function requireUnusedTcpDomain(tx: Transaction, region: Row<'Region'>): Promise<void> {
  const where = { regionId: region.id, address: { in: [...anyAddresses] } };
  const rules = await tx.tcpRule.findMany({ where, ...byId, ...nameListQuery });
  if (rules.length === 0) return;
  const names = nameList(rules.map(({ address, portNumber }) => formatEndpoint(address, portNumber)));
  throw new ConflictError(
    `The TCP domain of the region ${region.name} is in use by the rules on ${names}. Delete them first.`,
  );
}

/** CONFLICT if a team owns the domain, a domain below it, or a wildcard above it. */
async function requireUnclaimed(tx: Transaction, region: Row<'Region'>, domain: string): Promise<void> {
  const claims = [...atOrBelow('name', domain), { name: { in: wildcardsOver(domain) } }];
  const where = { regionId: region.id, OR: claims };
  const names = await tx.domain.findMany({ where, orderBy: { name: 'asc' }, ...nameListQuery });
  if (names.length === 0) return;
  const list = nameList(names.map(({ name }) => name));
  throw new ConflictError(
    `The domain ${domain} overlaps with domains of teams in the region ${region.name}: ${list}.`,
  );
}

/** CONFLICT if rules of the region have certificates from its issuer. */
async function requireUnusedIssuer(tx: Transaction, region: Row<'Region'>): Promise<void> {
  const where = { regionId: region.id, autoSsl: true };
  const rules = await tx.httpRule.findMany({ where, select: { domain: true }, ...byId, ...nameListQuery });
  if (rules.length === 0) return;
  const names = nameList(rules.map(({ domain }) => domain));
  throw new ConflictError(
    `The certificate issuer of the region ${region.name} is in use by the rules of ${names}, which have autoSsl. Change them first.`,
  );
}

const byId = { orderBy: { id: 'asc' } } as const;

/** The domains of a region change while no rule uses them, so that no address changes. */
export const rulesOfRegion: RegionHooks = {
  async domainsChanging({ tx }, region, { httpDomain, tcpDomain }) {
    if (httpDomain !== undefined) {
      await requireUnusedHttpDomain(tx, region);
      await requireUnclaimed(tx, region, httpDomain);
    }
    if (tcpDomain !== undefined) await requireUnusedTcpDomain(tx, region);
  },
  issuerRemoving: ({ tx }, region) => requireUnusedIssuer(tx, region),
};
