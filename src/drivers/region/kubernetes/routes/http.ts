import { groupBy } from '../../../../kernel/group.ts';
import type { ClusterSettings, RoutedRule } from '../../clusters.ts';
import type { DesiredComponent, DesiredHttpRule } from '../../desired.ts';
import { backendName, gatewayName, shortHash, slug } from '../../object-names.ts';
import { proxyDefaults } from '../../proxy-defaults.ts';
import { namespaceIn } from '../objects/namespaces.ts';
import { annotations, type KubernetesObject, shareLabel, teamLabels } from '../objects/objects.ts';
import { certificateRequest, type IssuerSettings, isIssued, isSecured } from './certificates.ts';
import { headersOf, type LimitingSettings, notApplied } from './limitations.ts';
import { headerMatchesOf, matchOf } from './matches.ts';

interface RoutedRegion {
  id: string;
  cluster: LimitingSettings & Pick<ClusterSettings, 'namespacePrefix'>;
}

/** Rules in groups, none of which is empty. */
export const rulesBy = <T extends DesiredHttpRule>(rules: readonly T[], keyOf: (rule: T) => string) =>
  [...groupBy(rules, keyOf).values()] as [T, ...T[]][];

const listenerName = (domain: string) => `https-${shortHash(domain)}`;

/** The name of the Secret with a domain's certificate, and of the Certificate that it is made for. */
export const tlsName = (domain: string) => `tls-${slug(domain, 50)}`;

export const tlsSecret = (
  metadata: KubernetesObject['metadata'],
  { chain, key }: { chain: string; key: string },
): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata,
  type: 'kubernetes.io/tls',
  data: {
    'tls.crt': Buffer.from(chain).toString('base64'),
    'tls.key': Buffer.from(key).toString('base64'),
  },
});

/**
 * The listeners that the rules of a component need of the team's gateway, beside the one for HTTP. Components with the same
 * domain apply the same one, which is there as long as one of them does.
 */
export const listenersOf = (component: DesiredComponent, settings: IssuerSettings): object[] =>
  rulesBy(
    component.httpRules.filter((rule) => isSecured(rule, settings)),
    ({ domain }) => domain,
  ).map(([{ domain }]) => ({
    name: listenerName(domain),
    hostname: domain,
    port: 443,
    protocol: 'HTTPS',
    // With the defaults, which the server adds: without them, the next component would apply something else.
    tls: { mode: 'Terminate', certificateRefs: [{ group: '', kind: 'Secret', name: tlsName(domain) }] },
  }));

/** The name of a rule's route. Rules that share requests have the same. */
export const routeName = (rule: DesiredHttpRule) => slug(matchOf(rule));

/** The rule of a route. Requests are shared by weight. */
function routeRule(rules: [RoutedRule, ...RoutedRule[]], region: RoutedRegion): object {
  const [rule] = rules;
  const headers = headerMatchesOf(rule);
  const { readTimeoutSeconds } = rule.configuration as { readTimeoutSeconds?: number };
  const set = headersOf(rule);
  const filters = [
    ...(set.length ? [{ type: 'RequestHeaderModifier', requestHeaderModifier: { set } }] : []),
    ...(rule.pathRewrite
      ? [
          {
            type: 'URLRewrite',
            urlRewrite: { path: { type: 'ReplacePrefixMatch', replacePrefixMatch: '/' } },
          },
        ]
      : []),
  ];
  return {
    matches: [{ path: { type: 'PathPrefix', value: rule.path }, ...(headers.length && { headers }) }],
    ...(filters.length && { filters }),
    backendRefs: rules.map(({ component, portNumber, weight }) => ({
      name: backendName(component),
      // Without it, a Service is beside the route.
      ...(component.namespaceId !== 0 && { namespace: namespaceIn(region, component) }),
      port: portNumber,
      weight,
    })),
    ...(readTimeoutSeconds && readTimeoutSeconds !== proxyDefaults.readTimeoutSeconds
      ? { timeouts: { request: `${readTimeoutSeconds}s` } }
      : {}),
  };
}

/** An object that the components of these rules share, with their labels and the domain. */
function shared(teamId: string, rules: readonly RoutedRule[], object: KubernetesObject): KubernetesObject {
  const sharing = Object.fromEntries(rules.map(({ component }) => [shareLabel(component), 'true']));
  return {
    ...object,
    metadata: {
      ...object.metadata,
      labels: { ...teamLabels(teamId), ...sharing },
      annotations: { [annotations.domain]: rules[0]!.domain, ...object.metadata.annotations },
    },
  };
}

/** The HTTPRoute of rules that match the same requests, which is beside the gateway of the team. */
export function httpRouteOf(
  teamId: string,
  rules: [RoutedRule, ...RoutedRule[]],
  region: RoutedRegion,
): KubernetesObject {
  const settings = region.cluster;
  const [{ domain }] = rules;
  const sections = new Set(rules.map((rule) => (isSecured(rule, settings) ? listenerName(domain) : 'http')));
  return shared(teamId, rules, {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    metadata: { name: routeName(rules[0]), ...notApplied(rules, settings) },
    spec: {
      parentRefs: [...sections].map((sectionName) => ({ name: gatewayName, sectionName })),
      hostnames: [domain],
      rules: [routeRule(rules, region)],
    },
  });
}

/** The Secrets of domains: a domain has the certificate of its first rule that has one. */
export const domainSecretsOf = (teamId: string, rules: readonly RoutedRule[]): KubernetesObject[] =>
  rulesBy(
    rules.filter(({ certificate }) => certificate),
    ({ domain }) => domain,
  ).map((secured) => {
    const [{ domain, certificate }] = secured;
    return shared(teamId, secured, tlsSecret({ name: tlsName(domain) }, certificate!));
  });

/** The requests for certificates of domains of which no rule has a certificate of its own. */
export const domainCertificatesOf = (
  teamId: string,
  rules: readonly RoutedRule[],
  settings: IssuerSettings,
): KubernetesObject[] =>
  rulesBy(rules, ({ domain }) => domain).flatMap((ofDomain) => {
    const issued = ofDomain.filter((rule) => isIssued(rule, settings));
    const [{ domain }] = ofDomain;
    if (issued.length === 0 || ofDomain.some(({ certificate }) => certificate)) return [];
    const request = certificateRequest({ name: tlsName(domain) }, domain, settings.certificateIssuer!);
    return shared(teamId, issued, request);
  });
