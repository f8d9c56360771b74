import type { DesiredHttpRule, DesiredTcpRule } from '../desired.ts';
import { RegionWorkError } from '../driver.ts';
import { proxyDefaults } from '../proxy-defaults.ts';
import { annotations } from './objects.ts';
import type { ClusterSettings } from './region.ts';

/** What of a rule decides whether it can be expressed. */
type HttpRule = Pick<
  DesiredHttpRule,
  'header' | 'cookie' | 'pathRewrite' | 'rewrites' | 'extensions' | 'configuration'
>;

/** Pairs as rules write them: `a=b;c=d`. */
export const pairs = (text: string) =>
  text
    .split(';')
    .map((pair) => pair.trim())
    .filter(Boolean)
    .map((pair) => {
      const at = pair.indexOf('=');
      return { name: pair.slice(0, at).trim(), value: pair.slice(at + 1).trim() };
    });

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

const defaults: Record<string, unknown> = proxyDefaults;

/** The proxy settings that are set and that the target cannot express. */
function unexpressed({ configuration, extensions }: HttpRule, expressed: string[]): string[] {
  const given = Object.entries(configuration).filter(
    ([name, value]) => name in proxyDefaults && value !== defaults[name] && !expressed.includes(name),
  );
  return [...given.map(([name]) => name), ...(extensions.length ? ['extensions'] : [])];
}

/** What of a rule keeps the target from expressing it, because its meaning would be another. */
export function inexpressible(rule: HttpRule, hasGateway: boolean): string[] {
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

export function refuse(rule: DesiredHttpRule, what: string): never {
  throw new RegionWorkError(
    `The cluster cannot express ${what} of the rule for ${rule.domain}${rule.path}.`,
    { isPermanent: true },
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

export const headersOf = ({ configuration }: HttpRule) =>
  ((configuration as { setHeaders?: { key: string; value: string }[] }).setHeaders ?? []).map(
    ({ key, value }) => ({ name: key, value }),
  );

/** The proxy settings that an HTTPRoute has a field for. */
export const expressedByGateway = ['readTimeoutSeconds'];

export const notApplied = (rules: readonly DesiredHttpRule[], expressed: string[]) =>
  notAppliedOf([...new Set(rules.flatMap((rule) => unexpressed(rule, expressed)))]);

/** The annotation for what is left out. */
export const notAppliedOf = (missing: readonly string[]) =>
  missing.length ? { annotations: { [annotations.notApplied]: missing.join(',') } } : {};
