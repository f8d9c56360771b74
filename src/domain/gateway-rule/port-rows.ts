import { ConflictError } from '../../kernel/errors.ts';
import type { PortWrite } from '../port/hooks.ts';
import { defaultDomain } from './address-reads.ts';
import {
  insertDefaultRules,
  publishAll,
  type Rules,
  removeRules,
  rulesOf,
  unpublishAll,
} from './many-rows.ts';
import { fullNameOfRule } from './name-model.ts';
import { forgetLostDefaults } from './rows.ts';

/**
 * Publishes the rules of a port that was opened. Creates a default rule if the port has none, or if its
 * default rule has become a custom one since it was last opened.
 */
export async function publishRules(write: PortWrite): Promise<void> {
  const { tx, port } = write;
  const { http, tcp } = await publishAll(write, [write]);
  const there = [...http, ...tcp];
  const lostDefault = there.some((rule) => rule.wasDefault) && !there.some((rule) => rule.isDefault);
  if (port.isOuter || !lostDefault) return;
  await forgetLostDefaults(tx, port.id);
  const address = defaultDomain(write);
  // A custom rule can already have the address of the default rule.
  if (!http.some((rule) => rule.domain === address && rule.path === '/')) {
    await insertDefaultRules(write, [write]);
  }
}

export const unpublishRules = (write: PortWrite) => unpublishAll(write, [write.port]);

/** Removes the default rules of a port, of one `kind` or all. With `why`, custom rules are a CONFLICT. */
export async function removeDefaultRules(
  write: PortWrite,
  kind: 'http' | 'tcp' | 'all',
  why?: string,
): Promise<void> {
  const all = await rulesOf(write, [write.port]);
  const rules: Rules = { http: kind === 'tcp' ? [] : all.http, tcp: kind === 'http' ? [] : all.tcp };
  const custom = [...rules.http, ...rules.tcp].filter(({ isDefault }) => !isDefault).map(fullNameOfRule);
  if (why && custom.length) throw new ConflictError(`${why}: ${custom.join(', ')}. Delete them first.`);
  const isDefault = (rule: { isDefault: boolean }) => rule.isDefault;
  const removed = { http: rules.http.filter(isDefault), tcp: rules.tcp.filter(isDefault) };
  await removeRules(write, removed);
}
