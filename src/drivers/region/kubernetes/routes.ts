import type { DesiredComponent, DesiredHttpRule, DesiredTcpRule } from '../desired.ts';
import { RegionWorkError } from '../driver.ts';
import { annotations, type KubernetesObject, labelsOf, nameOf, shortHash, slug } from './objects.ts';
import type { ClusterSettings } from './region.ts';

/** The gateway of a team, in its namespace. */
export const gatewayName = 'trellis';

/** The port that a rule reaches in the Service behind the rules of a component. */
export const backendName = (component: DesiredComponent) => nameOf(component, 'backend');

const secretName = (component: DesiredComponent, certificate: string) =>
  nameOf(component, `tls-${shortHash(certificate)}`);

const listenerName = (domain: string) => `https-${shortHash(domain)}`;

/** What of a rule decides whether it can be expressed. */
type HttpRule = Pick<
  DesiredHttpRule,
  'header' | 'cookie' | 'pathRewrite' | 'rewrites' | 'extensions' | 'configuration'
>;

/** Pairs as rules write them: `a=b;c=d`. */
const pairs = (text: string) =>
  text
    .split(';')
    .map((pair) => pair.trim())
    .filter(Boolean)
    .map((pair) => {
      const at = pair.indexOf('=');
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
function unexpressed({ configuration, extensions }: HttpRule, expressed: string[]): string[] {
  const given = Object.entries(configuration).filter(
    ([name, value]) => name in proxyDefaults && value !== proxyDefaults[name] && !expressed.includes(name),
  );
  return [...given.map(([name]) => name), ...(extensions.length ? ['extensions'] : [])];
}

/** What of a rule keeps the target from expressing it, because its meaning would be another. */
function inexpressible(rule: HttpRule, hasGateway: boolean): string[] {
  const cookies = pairs(rule.cookie);
  if (hasGateway) {
    return [
      ...(rule.rewrites.length > 0 ? ['the regular expressions'] : []),
      ...(cookies.length > maxCookies || cookieExpression(cookies).length > maxValue
        ? [`more than ${maxCookies} cookies or ${maxValue} characters of them`]
        : []),
    ];
  }
  return [
    ...(rule.header ? ['the headers'] : []),
    ...(rule.cookie ? ['the cookies'] : []),
    ...(rule.pathRewrite || rule.rewrites.length > 0 ? ['the path rewrite'] : []),
    ...(headersOf(rule).length > 0 ? ['the request headers'] : []),
  ];
}

/** What of a rule a cluster cannot express. */
export interface RuleLimitations {
  /** The component is not applied with it, because the meaning of the rule would be another. */
  refused: string[];
  /** Settings that are left out. */
  ignored: string[];
}

/** What of an HTTP rule a cluster does not do: what keeps the component from being applied, and what is left out. */
export const limitationsOfHttp = (
  rule: HttpRule,
  { gatewayClass }: Pick<ClusterSettings, 'gatewayClass'>,
): RuleLimitations => ({
  refused: inexpressible(rule, gatewayClass !== null),
  ignored: unexpressed(rule, gatewayClass === null ? [] : expressedByGateway),
});

function refuse(rule: DesiredHttpRule, what: string): never {
  throw new RegionWorkError(
    `The cluster cannot express ${what} of the rule for ${rule.domain}${rule.path}.`,
    {
      isPermanent: true,
    },
  );
}

/** The most cookies of a rule. Their order in a request is not known, so that the expression has all orders. */
const maxCookies = 3;
/** The longest value that a match of a header can have. */
const maxValue = 4_096;

const ordersOf = <T>(items: readonly T[]): T[][] =>
  items.length < 2
    ? [[...items]]
    : items.flatMap((item) => ordersOf(items.filter((each) => each !== item)).map((rest) => [item, ...rest]));

/** An expression for the header `Cookie`, in the syntax that RE2 and others have in common. */
export function cookieExpression(cookies: readonly { name: string; value: string }[]): string {
  const each = cookies.slice(0, maxCookies).map(({ name, value }) => `${escaped(name)}=${escaped(value)}`);
  const orders = ordersOf(each).map((order) => order.join(';(.*;)? *'));
  return `^(.*; *)?(${orders.join('|')})(;.*)?$`;
}

const headersOf = ({ configuration }: HttpRule) =>
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

const tcpListenerName = (outerPort: number) => `tcp-${outerPort}`;

export const isUdp = ({ ports }: DesiredComponent, { portNumber }: DesiredTcpRule) =>
  ports.some(({ number, protocol }) => number === portNumber && protocol === 'udp');

/** The rules that routes for TCP can express. */
export const routedTcpRules = (component: DesiredComponent) =>
  component.tcpRules.filter((rule) => !isUdp(component, rule));

/**
 * A gateway with a listener for each of these rules, and their TCPRoutes. It is the component's own, because a gateway has at
 * most 64 listeners.
 */
export function tcpRoutesOf(component: DesiredComponent, gatewayClass: string): KubernetesObject[] {
  const rules = routedTcpRules(component);
  if (rules.length === 0) return [];
  const name = nameOf(component, 'tcp');
  const gateway = gatewayOf(gatewayClass, labelsOf(component), []);
  const listeners = rules.map(({ outerPort }) => ({
    name: tcpListenerName(outerPort),
    port: outerPort,
    protocol: 'TCP',
  }));
  const routes = rules.map((rule) => ({
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'TCPRoute',
    metadata: {
      name: nameOf(component, `tcp-${rule.outerPort}`),
      labels: labelsOf(component),
      ...notAppliedOf(limitationsOfTcp(rule).ignored),
    },
    spec: {
      parentRefs: [{ name, sectionName: tcpListenerName(rule.outerPort) }],
      rules: [{ backendRefs: [{ name: backendName(component), port: rule.portNumber }] }],
    },
  }));
  return [
    { ...gateway, metadata: { ...gateway.metadata, name }, spec: { ...gateway.spec, listeners } },
    ...routes,
  ];
}

/** What of a TCP rule a cluster does not do: it gives addresses itself. */
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

/** The proxy settings that an HTTPRoute has a field for. */
const expressedByGateway = ['readTimeoutSeconds'];

const notApplied = (rules: readonly DesiredHttpRule[], expressed: string[]) =>
  notAppliedOf([...new Set(rules.flatMap((rule) => unexpressed(rule, expressed)))]);

/** The annotation for what is left out. */
export const notAppliedOf = (missing: readonly string[]) =>
  missing.length ? { annotations: { [annotations.notApplied]: missing.join(',') } } : {};

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
