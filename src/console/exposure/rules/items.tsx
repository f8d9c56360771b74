import type { Item } from '../../act/action-bar.tsx';
import { itemOf } from '../../act/items.tsx';
import { lazyItem } from '../../act/lazy-item.tsx';
import { wordsOf } from '../../act/words.ts';
import type { FragmentOf } from '../../api/graphql.ts';
import type { HttpRuleForm, TcpRuleForm } from '../../documents/rules.ts';
import { strings } from '../../strings.ts';
import type { RuleChange, RuleDialogProps } from './rule-dialog.tsx';
import { text } from './strings.ts';

type Http = FragmentOf<typeof HttpRuleForm>;
type Tcp = FragmentOf<typeof TcpRuleForm>;

const httpItem = (label: string) =>
  lazyItem<RuleDialogProps<Http>>(label, async () => (await import('./http-dialog.tsx')).HttpRuleDialog);
const tcpItem = (label: string) =>
  lazyItem<RuleDialogProps<Tcp>>(label, async () => (await import('./tcp-dialog.tsx')).TcpRuleDialog);

/** The item that adds a rule to a port. */
const adding =
  (label: string, item: (key: string, props: { of: RuleChange }) => Item) =>
  (key: string, of: Omit<RuleChange, 'label'>) =>
    item(key, { of: { ...of, label } });

const { addHttpRule: addHttp, addTcpRule: addTcp } = strings.act;
export const addHttpRule = adding(addHttp, httpItem(addHttp));
export const addTcpRule = adding(addTcp, tcpItem(addTcp));

const editHttp = httpItem(text.edit);
const editTcp = tcpItem(text.edit);

/** The actions of a rule. `leave` is the page to show when it is gone. */
export function ruleItems(rule: Http | Tcp, name: string, leave: string): Item[] {
  const input = { rule: { id: rule.id }, expectedRevision: rule.revision };
  const change = { title: text.editTitle(name), label: text.save, team: rule.application.team.id, input };
  return [
    'domain' in rule ? editHttp('edit', { of: change, rule }) : editTcp('edit', { of: change, rule }),
    itemOf('delete', {
      ...wordsOf(text, 'delete', name),
      mutation: 'deleteGatewayRule',
      target: input,
      leadsTo: () => leave,
    }),
  ];
}
