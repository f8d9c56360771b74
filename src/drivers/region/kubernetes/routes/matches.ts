import type { DesiredHttpRule } from '../../desired.ts';

/** The part of a rule that decides which requests it matches. */
type Matching = Pick<DesiredHttpRule, 'domain' | 'path' | 'header' | 'cookie'>;

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

/** The requests that a rule matches, as text. Rules with the same text share them by weight. */
export function matchOf({ domain, path, header, cookie }: Matching): string {
  const headers = pairs(header).map(({ name, value }) => `${name.toLowerCase()}=${value}`);
  const cookies = pairs(cookie).map(({ name, value }) => `${name}=${value}`);
  // Paths match by their elements, so that a slash at the end changes nothing.
  const requests = `${domain}${path.replace(/\/+$/, '') || '/'}`;
  if (headers.length + cookies.length === 0) return requests;
  return `${requests} ${JSON.stringify([headers.sort(), cookies.sort()])}`;
}

/** The most cookies of a rule. Their order in a request is not known, so that the expression has all orders. */
export const maxCookies = 3;
/** The longest value that a match of a header can have. */
export const maxValue = 4_096;

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

/** The matches of headers of a rule. One names a header once, so that several cookies become one expression. */
export function headerMatchesOf({
  header,
  cookie,
}: Matching): { name: string; value: string; type?: string }[] {
  const cookies = pairs(cookie);
  const expression = { type: 'RegularExpression', name: 'Cookie', value: cookieExpression(cookies) };
  return [...pairs(header), ...(cookies.length > 0 ? [expression] : [])];
}
