import { defaultDomainOf } from '../plan/route-model.ts';
import type { Copied, CopyReading, Original } from './scene-reads.ts';

/** What the default domains of an application are in its copy. */
export interface Addresses {
  domains: ReadonlyMap<string, string>;
  /** The text with the domains of the copy in the place of those of the original. */
  renamed(text: string): string;
}

/** What differs in a text with an address. */
export const otherAddress = 'It has the address of the copy instead of that of the original.';

const escaped = (text: string) => text.replace(/\W/g, '\\$&');

export function addressesOf(
  { team, region }: Pick<CopyReading, 'team' | 'region'>,
  original: Original,
  copied: readonly Copied[],
): Addresses {
  const domains = new Map<string, string>();
  for (const { current, work } of copied) {
    for (const { number: port } of current.ports) {
      const domain = defaultDomainOf({ ...original, component: current.row, port });
      domains.set(domain, defaultDomainOf({ team, region, component: work.row, port }));
    }
  }
  const end = `${original.team.name}.${original.region.httpDomain}`;
  const domain = new RegExp(`(?<![\\w.-])\\d{1,5}\\.[a-z0-9-]+\\.${escaped(end)}(?![\\w-]|\\.[\\w-])`, 'g');
  return { domains, renamed: (text) => text.replace(domain, (found) => domains.get(found) ?? found) };
}
