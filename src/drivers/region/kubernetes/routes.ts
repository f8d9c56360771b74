import type { DesiredComponent, DesiredHttpRule } from '../desired.ts';
import { RegionWorkError } from '../driver.ts';
import { annotations, type KubernetesObject, labelsOf, nameOf, shortHash, slug } from './objects.ts';

/** The gateway of a team, in its namespace. */
export const gatewayName = 'trellis';

/** The port that a rule reaches in the Service behind the rules of a component. */
export const backendName = (component: DesiredComponent) => nameOf(component, 'backend');

const secretName = (component: DesiredComponent, certificate: string) =>
  nameOf(component, `tls-${shortHash(certificate)}`);

const listenerName = (domain: string) => `https-${shortHash(domain)}`;

/** Pairs as rules write them: `a:b;c:d`. */
const pairs = (text: string, separator: string) =>
  text
    .split(';')
    .map((pair) => pair.trim())
    .filter(Boolean)
    .map((pair) => {
      const at = pair.indexOf(separator);
      return { name: pair.slice(0, at).trim(), value: pair.slice(at + 1).trim() };
    });

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** The settings of a rule's proxy, with what a new rule has. Others than these have to be expressed. */
const proxyDefaults: Record<string, unknown> = {
  bodySizeMB: 0,
  bufferCount: 4,
  bufferSizeKB: 4,
  isBuffered: false,
  connectTimeoutSeconds: 75,
  readTimeoutSeconds: 60,
  sendTimeoutSeconds: 60,
};

/** The proxy settings that are set and that the target cannot express. */
function unexpressed({ configuration, extensions }: DesiredHttpRule, expressed: string[]): string[] {
  const given = Object.entries(configuration).filter(
    ([name, value]) => name in proxyDefaults && value !== proxyDefaults[name] && !expressed.includes(name),
  );
  return [...given.map(([name]) => name), ...(extensions.length ? ['extensions'] : [])];
}

function refuse(rule: DesiredHttpRule, what: string): never {
  throw new RegionWorkError(
    `The cluster cannot express ${what} of the rule for ${rule.domain}${rule.path}.`,
    {
      isPermanent: true,
    },
  );
}

const headersOf = ({ configuration }: DesiredHttpRule) =>
  ((configuration as { setHeaders?: { key: string; value: string }[] }).setHeaders ?? []).map(
    ({ key, value }) => ({ name: key, value }),
  );

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
  if (rule.rewrites.length > 0) refuse(rule, 'the regular expressions');
  const cookies = pairs(rule.cookie, '=').map(
    ({ name, value }) => `(?=.*\\b${escaped(name)}=${escaped(value)}(;|$))`,
  );
  const headers = [
    ...pairs(rule.header, ':').map(({ name, value }) => ({ name, value })),
    // A match names a header once, so that several cookies become one expression.
    ...(cookies.length
      ? [{ type: 'RegularExpression', name: 'Cookie', value: `^${cookies.join('')}.*$` }]
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

const notApplied = (rules: readonly DesiredHttpRule[], expressed: string[]) => {
  const missing = [...new Set(rules.flatMap((rule) => unexpressed(rule, expressed)))];
  return missing.length ? { annotations: { [annotations.notApplied]: missing.join(',') } } : {};
};

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
        ...notApplied(slice.flat(), ['readTimeoutSeconds']),
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
    for (const rule of rules) {
      if (rule.header) refuse(rule, 'the headers');
      if (rule.cookie) refuse(rule, 'the cookies');
      if (rule.pathRewrite || rule.rewrites.length > 0) refuse(rule, 'the path rewrite');
      if (headersOf(rule).length > 0) refuse(rule, 'the request headers');
    }
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
