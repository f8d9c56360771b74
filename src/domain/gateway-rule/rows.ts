import type { Context } from '../../context.ts';
import type { Transaction } from '../../db/open.ts';
import type { Row } from '../../db/tables.ts';
import type { Write } from '../../db/write/change.ts';
import { revised } from '../../db/write/revision.ts';
import type { PortWrite } from '../port/hooks.ts';
import { releaseDomains } from './http/domain-rows.ts';
import { eventOfRule } from './name-model.ts';

type HttpRule = Row<'HttpRule'>;
type TcpRule = Row<'TcpRule'>;
type RuleWrite = Write<Context> & Pick<PortWrite, 'team' | 'region'>;

/** Sets columns of a rule. Releases its previous domain if no other rule uses it. */
export async function setHttpRule(
  write: RuleWrite,
  before: HttpRule,
  data: Partial<HttpRule>,
): Promise<HttpRule> {
  const { tx, recordEvent, team } = write;
  const after = await tx.httpRule.update({ where: { id: before.id }, data: revised(before, data) });
  recordEvent({ ...eventOfRule(team, after, 'update'), before, after });
  if (after.domain !== before.domain) await releaseDomains(write, [before]);
  return after;
}

export async function setTcpRule(
  { tx, recordEvent, team }: RuleWrite,
  before: TcpRule,
  data: Partial<TcpRule>,
): Promise<TcpRule> {
  const after = await tx.tcpRule.update({ where: { id: before.id }, data: revised(before, data) });
  recordEvent({ ...eventOfRule(team, after, 'update'), before, after });
  return after;
}

/** Default rules whose address was changed become custom rules, and the port gets new default rules. */
export async function forgetLostDefaults(tx: Transaction, portId: number): Promise<void> {
  const lost = { where: { portId, wasDefault: true }, data: { wasDefault: false } };
  await tx.httpRule.updateMany(lost);
  await tx.tcpRule.updateMany(lost);
}
