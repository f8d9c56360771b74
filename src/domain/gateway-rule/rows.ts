import type { Transaction } from '../../db/open.ts';
import type { Row } from '../../db/tables.ts';
import type { Write } from '../../db/write/change.ts';
import { revised } from '../../db/write/revision.ts';
import type { PortWrite } from '../port/hooks.ts';
import { releaseDomain } from './http/domain-rows.ts';
import { nameOfRule } from './name-model.ts';

type HttpRule = Row<'HttpRule'>;
type TcpRule = Row<'TcpRule'>;
type Required = 'key' | 'regionId' | 'applicationId' | 'componentId' | 'portId' | 'createdAt';
type NewHttpRule = Pick<HttpRule, Required | 'domain' | 'isDefault' | 'isPublished'> & Partial<HttpRule>;
type NewTcpRule = Pick<TcpRule, Required | 'address' | 'portNumber' | 'isDefault' | 'isPublished'> &
  Partial<TcpRule>;
type RuleWrite = Write & Pick<PortWrite, 'team' | 'region'>;

/** Adds a rule to a domain that the team has claimed. */
export async function insertHttpRule(
  { tx, recordEvent, team }: RuleWrite,
  data: NewHttpRule,
): Promise<HttpRule> {
  const rule = await tx.httpRule.create({ data });
  const subject = { type: 'HttpRule', id: rule.id } as const;
  recordEvent({ action: 'http_rule.create', subject, name: nameOfRule(rule), teamId: team.id, after: rule });
  return rule;
}

export async function insertTcpRule(
  { tx, recordEvent, team }: RuleWrite,
  data: NewTcpRule,
): Promise<TcpRule> {
  const rule = await tx.tcpRule.create({ data });
  const subject = { type: 'TcpRule', id: rule.id } as const;
  recordEvent({ action: 'tcp_rule.create', subject, name: nameOfRule(rule), teamId: team.id, after: rule });
  return rule;
}

/** Sets columns of a rule. Releases its previous domain if no other rule uses it. */
export async function setHttpRule(
  write: RuleWrite,
  before: HttpRule,
  data: Partial<HttpRule>,
  action: 'http_rule.update' | 'http_rule.publish' | 'http_rule.unpublish' = 'http_rule.update',
): Promise<HttpRule> {
  const { tx, recordEvent, team } = write;
  const after = await tx.httpRule.update({ where: { id: before.id }, data: revised(before, data) });
  recordEvent({
    action,
    subject: { type: 'HttpRule', id: before.id },
    name: nameOfRule(after),
    teamId: team.id,
    before,
    after,
  });
  if (after.domain !== before.domain) await releaseDomain(write, before);
  return after;
}

export async function setTcpRule(
  { tx, recordEvent, team }: RuleWrite,
  before: TcpRule,
  data: Partial<TcpRule>,
  action: 'tcp_rule.update' | 'tcp_rule.publish' | 'tcp_rule.unpublish' = 'tcp_rule.update',
): Promise<TcpRule> {
  const after = await tx.tcpRule.update({ where: { id: before.id }, data: revised(before, data) });
  recordEvent({
    action,
    subject: { type: 'TcpRule', id: before.id },
    name: nameOfRule(after),
    teamId: team.id,
    before,
    after,
  });
  return after;
}

/** Default rules whose address was changed become custom rules, and the port gets new default rules. */
export async function forgetLostDefaults(tx: Transaction, portId: number): Promise<void> {
  const lost = { where: { portId, wasDefault: true }, data: { wasDefault: false } };
  await tx.httpRule.updateMany(lost);
  await tx.tcpRule.updateMany(lost);
}

/** Removes a rule. Releases its domain if no other rule uses it. */
export async function removeHttpRule(write: RuleWrite, rule: HttpRule): Promise<void> {
  await write.tx.httpRule.delete({ where: { id: rule.id } });
  const subject = { type: 'HttpRule', id: rule.id } as const;
  write.recordEvent({
    action: 'http_rule.delete',
    subject,
    name: nameOfRule(rule),
    teamId: write.team.id,
    before: rule,
  });
  await releaseDomain(write, rule);
}

export async function removeTcpRule({ tx, recordEvent, team }: RuleWrite, rule: TcpRule): Promise<void> {
  await tx.tcpRule.delete({ where: { id: rule.id } });
  const subject = { type: 'TcpRule', id: rule.id } as const;
  recordEvent({ action: 'tcp_rule.delete', subject, name: nameOfRule(rule), teamId: team.id, before: rule });
}
