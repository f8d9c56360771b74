import type { Row } from '../../../db/tables.ts';
import { findByKeys } from '../../../db/write/bulk.ts';
import {
  type Actor,
  allows,
  allowsThroughout,
  anyOther,
  maySee,
  type ObjectLocation,
  placeOf,
} from '../../../kernel/access.ts';
import { ConflictError } from '../../../kernel/errors.ts';
import { groupBy } from '../../../kernel/group.ts';
import type { PortWrite } from '../../port/hooks.ts';
import { domainsBelow } from './below-reads.ts';
import { baseOf, isBelow, isWildcard, wildcardsOver } from './domain-model.ts';

type Sharing = Pick<PortWrite, 'context' | 'tx' | 'region' | 'team'>;
type At = Pick<Row<'HttpRule'>, 'applicationId' | 'componentId'>;

/** Each of them can change where the requests of a component go. */
const changing = [
  'createHttpRule',
  'updateHttpRule',
  'applyManifest',
  'importNamespace',
  'copyApplication',
  'openOuterService',
] as const;

/** A domain, and the component whose rule gets it. */
export type Claim = At & { domain: string };

/**
 * CONFLICT if a domain, or one that overlaps with it, belongs to a component that the caller may not change, or would belong to
 * one that does not exist yet: requests for one component would go to another, or pages of one could act as those of another. The team owns the domain, and the region is locked.
 * A plan for somebody who may change neither requires that the component is visible.
 */
export async function requireSharedAlike(sharing: Sharing, claims: readonly Claim[]): Promise<void> {
  const { context, tx, team } = sharing;
  const place = placeOf(team);
  if (claims.length === 0 || mayChangeAll(context.actor, place)) return;
  const domains = [...new Set(claims.map(({ domain }) => domain))];
  const own = new Set(claims.map(({ componentId }) => componentId));
  const there = [
    ...(await rulesAt(sharing, domains)),
    ...(await rulesBelow(sharing, domains)),
    ...(await futureDefaults(sharing, domains)),
  ].filter(({ componentId }) => !own.has(componentId));
  if (there.length === 0) return;
  const actor = (await context.actorIn?.(tx)) ?? context.actor;
  const isChange = claims.some((at) => mayChange(actor, { ...place, ...at }));
  const foreign = there.find((at) =>
    isChange ? !mayChange(actor, { ...place, ...at }) : !maySee(actor, { ...place, ...at }),
  );
  if (!foreign) return;
  const name = domains.find((each) => overlaps(each, foreign.domain)) ?? foreign.domain;
  throw new ConflictError(
    `The domain ${name} is in use by, or reserved for, a component that you cannot change. Use another domain, or ask a person who can change all components of the team.`,
    name,
  );
}

/**
 * CONFLICT if a rule, whose headers, timeout or path rewrite change, shares requests with a later rule of a component that the caller
 * may not change. All of these requests have the settings of the first rule, and clusters leave out rules that differ in them: the
 * first one would get all requests.
 */
export async function requireOwnRequests(sharing: Sharing, rules: readonly Row<'HttpRule'>[]): Promise<void> {
  const { matchOf } = sharing.context.drivers.clusters;
  const shared = await sharedWithOthers(sharing, rules, matchOf, (rule, other) => other.id > rule.id);
  if (!shared) return;
  const { domain, path } = shared;
  throw new ConflictError(
    `Requests for ${domain}${path} are shared with a component that you cannot change, and all of them have the headers, the timeout and the path rewrite of this rule. Ask a person who can change all components of the team.`,
    domain,
  );
}

/**
 * CONFLICT if a rule, whose certificate changes, has the domain of a component that the caller may not change: all rules of a domain
 * have one certificate, that of the first rule with one.
 */
export async function requireOwnCertificate(
  sharing: Sharing,
  rules: readonly Row<'HttpRule'>[],
): Promise<void> {
  const shared = await sharedWithOthers(sharing, rules, ({ domain }) => domain);
  if (!shared) return;
  const { domain } = shared;
  throw new ConflictError(
    `The domain ${domain} is shared with a component that you cannot change, and has one certificate for all of its rules. Ask a person who can change all components of the team.`,
    domain,
  );
}

type SharedRule = Pick<Row<'HttpRule'>, (typeof ruleFields)[number]>;

/** The first rule of a component of the caller that has something in common with one of a component that the caller may not change. */
async function sharedWithOthers(
  sharing: Sharing,
  rules: readonly Row<'HttpRule'>[],
  keyOf: (rule: SharedRule) => string,
  isShared: (rule: SharedRule, other: SharedRule) => boolean = () => true,
): Promise<SharedRule | undefined> {
  const { context, tx, team } = sharing;
  const place = placeOf(team);
  if (rules.length === 0 || mayChangeAll(context.actor, place)) return undefined;
  const domains = [...new Set(rules.map(({ domain }) => domain))];
  const there = await rulesWith(sharing, domains);
  const actor = (await context.actorIn?.(tx)) ?? context.actor;
  const others = groupBy(
    there.filter((rule) => !mayChange(actor, { ...place, ...rule })),
    keyOf,
  );
  return rules.find(
    (rule) =>
      others.get(keyOf(rule))?.some((other) => isShared(rule, other)) &&
      mayChange(actor, { ...place, ...rule }),
  );
}

const mayChange = (actor: Actor, place: ObjectLocation) =>
  changing.some((action) => allows(actor, action, place));

const mayChangeAll = (actor: Actor, team: ObjectLocation) =>
  changing.some((action) => allowsThroughout(actor, action, team));

const overlaps = (name: string, other: string) => name === other || wildcardsOver(name).includes(other);

/** The rules with one of the domains, or with a wildcard that covers it. */
function rulesAt(sharing: Sharing, domains: readonly string[]): Promise<Claim[]> {
  return rulesWith(sharing, [...new Set(domains.flatMap((name) => [name, ...wildcardsOver(name)]))]);
}

const ruleFields = ['id', 'domain', 'path', 'cookie', 'header', 'applicationId', 'componentId'] as const;

const rulesWith = (sharing: Sharing, domains: readonly string[]) =>
  findByKeys(sharing, 'HttpRule', 'domain', domains, ['id'], {
    fields: ruleFields,
    where: { field: 'regionId', is: sharing.region.id },
  });

/** The rules with names below those that are wildcards, as rules of these. */
async function rulesBelow(sharing: Sharing, domains: readonly string[]): Promise<Claim[]> {
  const below = await domainsBelow(sharing, domains.filter(isWildcard), 'team');
  const wildcardOf = new Map(below.map(({ name, wildcard }) => [name, wildcard]));
  const rules = await rulesWith(sharing, [...wildcardOf.keys()]);
  return rules.map(({ domain, ...at }) => ({ ...at, domain: wildcardOf.get(domain)! }));
}

/**
 * The components whose ports get one of the domains when they are opened: it contains their alias. An alias that is free can be
 * that of any component.
 */
async function futureDefaults(sharing: Sharing, domains: readonly string[]): Promise<Claim[]> {
  const { region, team } = sharing;
  const own = `${team.name}.${region.httpDomain}`;
  const named = new Map<string, string>();
  const ofAny: Claim[] = [];
  for (const name of domains) {
    const base = baseOf(name);
    if (base === own && isWildcard(name)) ofAny.push({ ...anyOther, domain: name });
    if (isBelow(base, own))
      named.set(
        base
          .slice(0, -own.length - 1)
          .split('.')
          .at(-1)!,
        name,
      );
  }
  const found = await findByKeys(sharing, 'Component', 'alias', [...named.keys()], ['id'], {
    fields: ['id', 'alias', 'regionId', 'applicationId'],
    where: { field: 'teamId', is: team.id },
  });
  const inRegion = found.filter(({ regionId }) => regionId === region.id);
  const known = new Set(inRegion.map(({ alias }) => alias));
  for (const [alias, domain] of named) if (!known.has(alias)) ofAny.push({ ...anyOther, domain });
  const ofKnown = inRegion.map(({ id, alias, applicationId }) => ({
    componentId: id,
    applicationId,
    domain: named.get(alias)!,
  }));
  return [...ofKnown, ...ofAny];
}
