import type { DesiredComponent, DesiredHttpRule } from '../desired.ts';
import { proxyDefaults } from '../proxy-defaults.ts';
import { type KubernetesObject, labelsOf, nameOf, shortHash, slug } from './objects.ts';
import {
  cookieExpression,
  expressedByGateway,
  headersOf,
  inexpressible,
  notApplied,
  pairs,
  refuse,
} from './rule-limitations.ts';

/** The gateway of a team, in its namespace. */
export const gatewayName = 'trellis';

/** The port that a rule reaches in the Service behind the rules of a component. */
export const backendName = (component: DesiredComponent) => nameOf(component, 'backend');

const secretName = (component: DesiredComponent, certificate: string) =>
  nameOf(component, `tls-${shortHash(certificate)}`);

const listenerName = (domain: string) => `https-${shortHash(domain)}`;

/** The certificates of the rules, each once. */
export function tlsSecretsOf(component: DesiredComponent): KubernetesObject[] {
  const used = component.httpRules.flatMap(({ certificate }) => certificate ?? []);
  const byName = new Map(used.map((certificate) => [certificate.name, certificate]));
  return [...byName.values()].map(({ name, chain, key }) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: secretName(component, name), labels: labelsOf(component) },
    type: 'kubernetes.io/tls',
    data: {
      'tls.crt': Buffer.from(chain).toString('base64'),
      'tls.key': Buffer.from(key).toString('base64'),
    },
  }));
}

const groups = (rules: readonly DesiredHttpRule[], keyOf: (rule: DesiredHttpRule) => string) => {
  const found = new Map<string, DesiredHttpRule[]>();
  for (const rule of rules) found.set(keyOf(rule), [...(found.get(keyOf(rule)) ?? []), rule]);
  return [...found.values()] as [DesiredHttpRule, ...DesiredHttpRule[]][];
};

const conditionsOf = ({ path, header, cookie }: DesiredHttpRule) => JSON.stringify([path, header, cookie]);

/** The listeners that the rules need of the team's gateway, beside the one for HTTP. */
export const listenersOf = (component: DesiredComponent): object[] =>
  groups(
    component.httpRules.filter(({ certificate }) => certificate),
    ({ domain }) => domain,
  ).map(([{ domain, certificate }]) => ({
    name: listenerName(domain),
    hostname: domain,
    port: 443,
    protocol: 'HTTPS',
    tls: { mode: 'Terminate', certificateRefs: [{ name: secretName(component, certificate!.name) }] },
  }));

/** The team's gateway, with the listeners of one component. Each component owns its own. */
export const gatewayOf = (gatewayClass: string, teamLabels: Record<string, string>, listeners: object[]) => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'Gateway',
  metadata: { name: gatewayName, labels: teamLabels },
  spec: {
    gatewayClassName: gatewayClass,
    listeners: [{ name: 'http', port: 80, protocol: 'HTTP' }, ...listeners],
  },
});

/** A rule of a route. Rules with the same conditions share it, by weight. */
function routeRule(component: DesiredComponent, rules: [DesiredHttpRule, ...DesiredHttpRule[]]): object {
  const [rule] = rules;
  for (const each of rules) for (const what of inexpressible(each, true)) refuse(each, what);
  const cookies = pairs(rule.cookie);
  const headers = [
    ...pairs(rule.header),
    // A match names a header once, so that several cookies become one expression.
    ...(cookies.length
      ? [{ type: 'RegularExpression', name: 'Cookie', value: cookieExpression(cookies) }]
      : []),
  ];
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
    backendRefs: rules.map(({ portNumber, weight }) => ({
      name: backendName(component),
      port: portNumber,
      weight,
    })),
    ...(readTimeoutSeconds && readTimeoutSeconds !== proxyDefaults.readTimeoutSeconds
      ? { timeouts: { request: `${readTimeoutSeconds}s` } }
      : {}),
  };
}

/** The most rules of an HTTPRoute. */
const maxRules = 16;

/** An HTTPRoute for each domain. */
export const httpRoutesOf = (component: DesiredComponent): KubernetesObject[] =>
  groups(component.httpRules, ({ domain }) => domain).flatMap((rules) => {
    const [{ domain }] = rules;
    const byConditions = groups(rules, conditionsOf);
    const slices = Array.from({ length: Math.ceil(byConditions.length / maxRules) }, (_, index) =>
      byConditions.slice(index * maxRules, (index + 1) * maxRules),
    );
    const isSecure = rules.some(({ certificate }) => certificate);
    return slices.map((slice, index) => ({
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'HTTPRoute',
      metadata: {
        name: nameOf(component, `${slug(domain, 40)}${index ? `-${index}` : ''}`),
        labels: labelsOf(component),
        ...notApplied(slice.flat(), expressedByGateway),
      },
      spec: {
        parentRefs: [{ name: gatewayName, sectionName: isSecure ? listenerName(domain) : 'http' }],
        hostnames: [domain],
        rules: slice.map((group) => routeRule(component, group)),
      },
    }));
  });

/** An Ingress for each domain. It matches host and path alone. */
export const ingressesOf = (component: DesiredComponent, ingressClass: string | null): KubernetesObject[] =>
  groups(component.httpRules, ({ domain }) => domain).map((rules) => {
    const [{ domain }] = rules;
    for (const rule of rules) for (const what of inexpressible(rule, false)) refuse(rule, what);
    const byPath = groups(rules, ({ path }) => path);
    for (const [rule, ...others] of byPath) if (others.length > 0) refuse(rule, 'the weights');
    const secured = rules.find(({ certificate }) => certificate)?.certificate;
    return {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: {
        name: nameOf(component, slug(domain, 40)),
        labels: labelsOf(component),
        ...notApplied(rules, []),
      },
      spec: {
        ...(ingressClass && { ingressClassName: ingressClass }),
        ...(secured && { tls: [{ hosts: [domain], secretName: secretName(component, secured.name) }] }),
        rules: [
          {
            host: domain,
            http: {
              paths: byPath.map(([{ path, portNumber }]) => ({
                path,
                pathType: 'Prefix',
                backend: { service: { name: backendName(component), port: { number: portNumber } } },
              })),
            },
          },
        ],
      },
    };
  });
