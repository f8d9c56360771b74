import { groupBy } from '../../../../kernel/group.ts';
import type { ClusterSettings, LimitedRule, RuleLimitations } from '../../clusters.ts';
import type { DesiredHttpRule, DesiredTcpRule } from '../../desired.ts';
import { RegionWorkError } from '../../driver.ts';
import { proxyDefaults } from '../../proxy-defaults.ts';
import { matchedName, matchedValue, rulePath } from '../../rule-characters.ts';
import { annotations } from '../objects/objects.ts';
import type { IssuerSettings } from './certificates.ts';
import { cookieExpression, headerMatchesOf, matchOf, maxCookies, maxValue, pairs } from './matches.ts';

/** The settings that decide what can be expressed. */
export type LimitingSettings = Pick<ClusterSettings, 'gatewayClass'> & IssuerSettings;

const timeoutOf = ({ configuration }: LimitedRule) =>
  (configuration as { readTimeoutSeconds?: number }).readTimeoutSeconds ?? proxyDefaults.readTimeoutSeconds;

/** The settings that are set and that the target cannot express. A route has the timeout of its first rule. */
function unexpressed(
  rule: LimitedRule,
  { gatewayClass, certificateIssuer }: LimitingSettings,
  [first = rule]: readonly LimitedRule[],
): string[] {
  const { configuration, extensions, autoSsl, domain, protocol } = rule;
  const hasGateway = gatewayClass !== null;
  const expected: Record<string, unknown> = {
    ...proxyDefaults,
    ...(hasGateway && { readTimeoutSeconds: timeoutOf(first) }),
  };
  const differences = Object.entries(configuration).filter(
    ([name, value]) => name in expected && value !== expected[name],
  );
  return [
    ...differences.map(([name]) => name),
    ...(extensions.length ? ['extensions'] : []),
    ...(autoSsl && certificateIssuer === null ? ['autoSsl'] : []),
    // The wildcard of an Ingress stands for one label, and what the port speaks is for each controller to say.
    ...(!hasGateway && domain.startsWith('*.') ? ['domain'] : []),
    ...(!hasGateway && protocol === 'grpc' ? ['protocol'] : []),
  ];
}

/** Whether a path has no parts that clusters refuse. Rules can be older than the characters that are allowed now. */
const isPlainPath = (path: string) => rulePath.test(path) && !/\/\/|\/\.\.?(\/|$)|%2f/i.test(path);

/** Whether the pairs of a rule have allowed characters alone. */
const arePlain = (text: string) =>
  pairs(text).every(({ name, value }) => matchedName.test(name) && matchedValue.test(value));

const maxHeaders = 16;
const headerName = /^[-A-Za-z0-9!#$%&'*+.^_`|~]{1,256}$/;

/** Whether a route can have these headers: not too many, each once, and none without a value. */
const areHeaders = (headers: readonly { name: string; value: string }[]) =>
  headers.length <= maxHeaders &&
  new Set(headers.map(({ name }) => name.toLowerCase())).size === headers.length &&
  headers.every(({ name, value }) => headerName.test(name) && value !== '');

/** The reason why the target cannot express a rule without changing its meaning. */
function inexpressible(rule: LimitedRule, hasGateway: boolean, earlier: readonly LimitedRule[]): string[] {
  const cookies = pairs(rule.cookie);
  const [first = rule] = earlier;
  if (hasGateway) {
    return [
      ...(isPlainPath(rule.path) ? [] : ['the path']),
      ...(arePlain(rule.cookie) ? [] : ['the cookies']),
      ...(arePlain(rule.header) && areHeaders(headerMatchesOf(rule)) ? [] : ['the headers']),
      ...(rule.rewrites.length > 0 ? ['the regular expressions'] : []),
      ...(cookies.length > maxCookies || cookieExpression(cookies).length > maxValue
        ? [`more than ${maxCookies} cookies or ${maxValue} characters of them`]
        : []),
      ...(areHeaders(headersOf(rule)) ? [] : ['the request headers']),
      ...(rule.pathRewrite === first.pathRewrite ? [] : ['a path rewrite of its own']),
      ...(headersText(rule) === headersText(first) ? [] : ['request headers of its own']),
      ...(earlier.length < maxBackends ? [] : [`more than ${maxBackends} rules that share requests`]),
    ];
  }
  return [
    ...(isPlainPath(rule.path) ? [] : ['the path']),
    ...(rule.header ? ['the headers'] : []),
    ...(rule.cookie ? ['the cookies'] : []),
    ...(rule.pathRewrite || rule.rewrites.length > 0 ? ['the path rewrite'] : []),
    ...(headersOf(rule).length > 0 ? ['the request headers'] : []),
    ...(earlier.length > 0 ? ['the weights'] : []),
  ];
}

/**
 * The parts of an HTTP rule that a cluster does not support: those that keep the component from being applied, and those
 * that are left out. `sharing` has the published rules for the same requests: a rule is compared with those made before it.
 */
export function limitationsOfHttp(
  rule: LimitedRule,
  settings: LimitingSettings,
  sharing: readonly LimitedRule[] = [],
): RuleLimitations {
  const earlier = sharing.filter(({ id }) => id < rule.id).sort((one, other) => one.id - other.id);
  return {
    refused: inexpressible(rule, settings.gatewayClass !== null, earlier),
    ignored: unexpressed(rule, settings, earlier),
  };
}

/** The limitation of TCP rules in a cluster: the cluster assigns addresses itself. */
export const limitationsOfTcp = ({
  address,
  extensions,
}: Pick<DesiredTcpRule, 'address' | 'extensions'>): RuleLimitations => ({
  refused: [],
  ignored: [
    ...(['0.0.0.0', '::'].includes(address) ? [] : ['address']),
    ...(extensions.length ? ['extensions'] : []),
  ],
});

/** Refuses rules that the cluster cannot express. `published` has all rules of their domains. */
export function requireExpressible(
  rules: readonly LimitedRule[],
  settings: LimitingSettings,
  published: readonly LimitedRule[],
): void {
  const sharing = groupBy(published, matchOf);
  for (const rule of rules) {
    const [what] = limitationsOfHttp(rule, settings, sharing.get(matchOf(rule))).refused;
    if (what === undefined) continue;
    throw new RegionWorkError(
      `The cluster cannot express ${what} of the rule for ${rule.domain}${rule.path}.`,
      { isPermanent: true },
    );
  }
}

/** The most rules that share the requests of a route. */
const maxBackends = 16;
export const headersOf = ({ configuration }: Pick<DesiredHttpRule, 'configuration'>) =>
  ((configuration as { setHeaders?: { key: string; value: string }[] }).setHeaders ?? []).map(
    ({ key, value }) => ({ name: key, value }),
  );

const headersText = (rule: LimitedRule) =>
  headersOf(rule)
    .map(({ name, value }) => `${name.toLowerCase()}: ${value}`)
    .sort()
    .join('\n');

/** The annotation for what is left out of the rules of one object. Those of a route match the same requests. */
export const notApplied = (rules: readonly LimitedRule[], settings: LimitingSettings) =>
  notAppliedOf([...new Set(rules.flatMap((rule) => unexpressed(rule, settings, rules)))]);

/** The annotation for what is left out. */
export const notAppliedOf = (missing: readonly string[]) =>
  missing.length ? { annotations: { [annotations.notApplied]: missing.join(',') } } : {};
