import type { Row } from '../../../db/tables.ts';
import type { ComponentWork } from '../../plan/work.ts';
import { isHttp } from '../../port/model.ts';
import { additionalNameOf } from '../inner-name-reads.ts';
import { freePortAlias } from '../name-model.ts';
import { type AdditionalNames, follows, type MergeInput, newPorts, type Say } from './input.ts';

type TemplatePort = MergeInput['next']['ports'][number];

type PortChanges = ComponentWork['ports'];

export function mergePorts(input: MergeInput, names: AdditionalNames, say: Say): PortChanges {
  const { base, next, current } = input;
  const merge: PortChanges = { create: [], update: [], remove: [] };
  const old = new Map((base?.ports ?? []).map((each) => [each.number, each]));
  const currentByNumber = new Map(current.ports.map((each) => [each.number, each]));
  const wanted = new Set(next.ports.map(({ number }) => number));
  const removed = current.ports.filter((is) => {
    const was = old.get(is.number);
    if (!was || wanted.has(is.number) || current.portsWithCustomRules.has(is.id)) return false;
    return (['protocol', 'alias', 'isInner', 'isOuter'] as const).every((field) => is[field] === was[field]);
  });
  const created = new Set(newPorts(input));
  const nameOf = (port: TemplatePort) => {
    const wanted = additionalNameOf(next, port);
    return wanted === null ? null : names[wanted]!;
  };
  const aliases = aliasesOf(input, created, new Set(removed));
  for (const port of next.ports) {
    const [was, is] = [old.get(port.number), currentByNumber.get(port.number)];
    const alias = aliases.get(port.number);
    if (created.has(port)) {
      const { number, protocol, isInner, isOuter } = port;
      const additionalName = nameOf(port);
      merge.create.push({ number, protocol, alias: alias!, isInner, isOuter, additionalName });
      say('ADD_PORT', String(port.number), null, port.protocol);
    }
    if (!was || !is) continue;
    const data: Partial<Row<'Port'>> = {};
    // The port keeps its protocol, because a custom rule would not fit the new one.
    const isBound = isHttp(port.protocol) !== isHttp(is.protocol) && current.portsWithCustomRules.has(is.id);
    const follow = (field: 'protocol' | 'alias' | 'isInner' | 'additionalName', value: unknown) => {
      Object.assign(data, { [field]: value });
      say('SET_PORT', `${port.number} ${field}`, is[field], value);
    };
    if (follows('protocol', was, port, is) && !isBound) follow('protocol', port.protocol);
    if (alias !== undefined && alias !== is.alias) follow('alias', alias);
    if (follows('isInner', was, port, is)) follow('isInner', port.isInner);
    // Users cannot set additional names; components of an earlier version of Trellis have none yet.
    const isNamedAnew =
      input.givenNames === undefined || additionalNameOf(base!, was) !== additionalNameOf(next, port);
    if (isNamedAnew && is.additionalName !== nameOf(port)) follow('additionalName', nameOf(port));
    const isOuter = follows('isOuter', was, port, is) ? port.isOuter : undefined;
    if (isOuter !== undefined) say('SET_PORT', `${port.number} isOuter`, is.isOuter, isOuter);
    if (Object.keys(data).length || isOuter !== undefined) {
      merge.update.push({ port: is, data, isOuter, isWritten: false });
    }
  }
  for (const is of removed) {
    merge.remove.push(is);
    say('REMOVE_PORT', String(is.number), is.protocol, null);
  }
  return merge;
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
