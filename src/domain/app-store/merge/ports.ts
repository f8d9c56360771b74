import type { Row } from '../../../db/tables.ts';
import type { TemplateComponent } from '../../../drivers/app-store/template.ts';
import type { PortEntry } from '../../plan/component-model.ts';
import type { Entries } from '../../plan/parts.ts';
import { isHttp } from '../../port/model.ts';
import { additionalNameOf } from '../inner-name-reads.ts';
import { freePortAlias } from '../name-model.ts';
import { type AdditionalNames, follows, type MergeInput, newPorts } from './input.ts';

type TemplatePort = TemplateComponent['ports'][number];

/** The additional names are those that were assigned. */
const serviceNameOf = (component: TemplateComponent, port: TemplatePort, names: AdditionalNames) => {
  const wanted = additionalNameOf(component, port);
  return wanted === null ? null : names[wanted]!;
};

export const portOf = (
  component: TemplateComponent,
  port: TemplatePort,
  names: AdditionalNames,
  alias = port.alias,
): PortEntry => ({ ...port, alias, serviceName: serviceNameOf(component, port, names) });

/** The ports of a component that a new version adds, changes and removes. */
export function mergePorts(input: MergeInput, names: AdditionalNames): Entries<PortEntry> {
  const { base, next, current } = input;
  const entries = new Map<string, PortEntry | null>();
  const old = new Map((base?.ports ?? []).map((each) => [each.number, each]));
  const currentByNumber = new Map(current.ports.map((each) => [each.number, each]));
  const wanted = new Set(next.ports.map(({ number }) => number));
  const hasCustomRule = ({ id }: Row<'Port'>) =>
    [...current.http, ...current.tcp].some(({ isDefault, portId }) => !isDefault && portId === id);
  const removed = current.ports.filter((is) => {
    const was = old.get(is.number);
    if (!was || wanted.has(is.number) || hasCustomRule(is)) return false;
    return (['protocol', 'alias', 'isInner', 'isOuter'] as const).every((field) => is[field] === was[field]);
  });
  const created = new Set(newPorts(input));
  const aliases = aliasesOf(input, created, new Set(removed));
  for (const port of next.ports) {
    const key = String(port.number);
    const [was, is] = [old.get(port.number), currentByNumber.get(port.number)];
    const alias = aliases.get(port.number);
    if (created.has(port)) entries.set(key, portOf(next, port, names, alias));
    if (!was || !is) continue;
    // The port keeps its protocol, because a custom rule would not fit the new one.
    const isBound = isHttp(port.protocol) !== isHttp(is.protocol) && hasCustomRule(is);
    // Users cannot set additional names; components of an earlier version of Trellis have none yet.
    const isNamedAnew =
      input.assignedNames === undefined || additionalNameOf(base!, was) !== additionalNameOf(next, port);
    entries.set(key, {
      ...(follows('protocol', was, port, is) && !isBound && { protocol: port.protocol }),
      ...(alias !== undefined && { alias }),
      ...(follows('isInner', was, port, is) && { isInner: port.isInner }),
      ...(follows('isOuter', was, port, is) && { isOuter: port.isOuter }),
      ...(isNamedAnew && { serviceName: serviceNameOf(next, port, names) }),
    });
  }
  for (const { number } of removed) entries.set(String(number), null);
  return entries;
}

/** The new aliases of ports by number. Ports that give up their aliases make them free for others. */
function aliasesOf(
  { base, next, current }: MergeInput,
  created: ReadonlySet<TemplatePort>,
  removed: ReadonlySet<Row<'Port'>>,
): Map<number, string> {
  const moving = next.ports.filter((port) => {
    const was = base?.ports.find(({ number }) => number === port.number);
    const is = current.ports.find(({ number }) => number === port.number);
    return was && is && follows('alias', was, port, is);
  });
  const numbers = new Set(moving.map(({ number }) => number));
  const staying = current.ports.filter((is) => !removed.has(is) && !numbers.has(is.number));
  const used = new Set(staying.map(({ alias }) => alias));
  const getting = [...moving, ...next.ports.filter((port) => created.has(port))];
  return new Map(getting.map(({ number, alias }) => [number, freePortAlias(alias, number, used)]));
}
