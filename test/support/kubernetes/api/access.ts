import { neededRights } from '../../../../src/drivers/region/kubernetes/cluster/rights.ts';
import type { Kind } from './kinds.ts';
import { failure, forbidden } from './status.ts';

/** What a user may do; `*` stands for everything. */
interface Rule {
  verbs: string[];
  groups: string[];
  /** With subresources as `deployments/scale`. */
  resources: string[];
  /** Everywhere if left out. */
  namespaces?: string[];
}

export interface User {
  name: string;
  rules: Rule[];
}

/** An account with the rights that regions need, but for some resources. */
export const platform = (...without: string[]): User => ({
  name: 'platform',
  rules: neededRights.map(({ group, resources, verbs }) => ({
    groups: [group],
    resources: resources.filter((resource) => !without.includes(resource)),
    verbs,
  })),
});

export interface Attempt {
  verb: string;
  group: string;
  resource: string;
  namespace?: string | undefined;
  name?: string | undefined;
}

export const administrator: User = {
  name: 'admin',
  rules: [{ verbs: ['*'], groups: ['*'], resources: ['*'] }],
};

const includes = (list: string[], value: string) => list.includes('*') || list.includes(value);

export const isAllowed = ({ rules }: User, { verb, group, resource, namespace }: Attempt) =>
  rules.some(
    (rule) =>
      includes(rule.verbs, verb) &&
      includes(rule.groups, group) &&
      includes(rule.resources, resource) &&
      (!rule.namespaces || (namespace !== undefined && rule.namespaces.includes(namespace))),
  );

export function requireAllowed(user: User, attempt: Attempt): void {
  if (isAllowed(user, attempt)) return;
  const { verb, group, resource, namespace, name = '' } = attempt;
  const place = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const [plural] = resource.split('/') as [string];
  throw forbidden(
    { plural, group } as Kind,
    name,
    `User "${user.name}" cannot ${verb} resource "${resource}" in API group "${group}" ${place}`,
  );
}

/** Paths beside the resources are open to discovery and health checks. */
export function requirePath(user: User, path: string): void {
  const isOpen = /^\/(version|readyz|livez|healthz|api|apis|openapi)(\/|$)/.test(path);
  if (isOpen || user.rules.some(({ verbs, groups }) => verbs.includes('*') && groups.includes('*'))) return;
  throw failure(403, 'Forbidden', `forbidden: User "${user.name}" cannot get path "${path}"`, {});
}
