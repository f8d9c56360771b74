import type { ReactNode } from 'react';
import type { Item } from '../../act/action-bar.tsx';
import { itemOf } from '../../act/items.tsx';
import { lazyDialog } from '../../act/lazy-dialog.tsx';
import { wordsOf } from '../../act/words.ts';
import type { FragmentOf } from '../../api/graphql.ts';
import type { HttpRuleForm, TcpRuleForm } from '../../documents/rules.ts';
import { strings } from '../../strings.ts';
import type { RuleChange, RuleDialogProps } from './rule-dialog.tsx';
import { text } from './strings.ts';

const HttpRuleDialog = lazyDialog<RuleDialogProps<FragmentOf<typeof HttpRuleForm>>>(
  async () => (await import('./http-dialog.tsx')).HttpRuleDialog,
);
const TcpRuleDialog = lazyDialog<RuleDialogProps<FragmentOf<typeof TcpRuleForm>>>(
  async () => (await import('./tcp-dialog.tsx')).TcpRuleDialog,
);

/** The item that adds a rule to a port. */
const adding =
  (RuleDialog: (props: RuleDialogProps<never>) => ReactNode, label: string) =>
  (key: string, of: Omit<RuleChange, 'label'>): Item => ({
    key,
    label,
    open: (close) => <RuleDialog of={{ ...of, label }} draft={key} close={close} />,
  });

export const addHttpRule = adding(HttpRuleDialog, strings.act.addHttpRule);
export const addTcpRule = adding(TcpRuleDialog, strings.act.addTcpRule);

type Rule = FragmentOf<typeof HttpRuleForm> | FragmentOf<typeof TcpRuleForm>;

/** The actions of a rule. `leave` is called when it is gone. */
export function ruleItems(rule: Rule, name: string, leave: () => void): Item[] {
  const input = { rule: { id: rule.id }, expectedRevision: rule.revision };
  const change = { title: text.editTitle(name), label: text.save, team: rule.application.team.id, input };
  return [
    {
      key: 'edit',
      label: text.edit,
      open: (close) =>
        'domain' in rule ? (
          <HttpRuleDialog of={change} rule={rule} draft="edit" close={close} />
        ) : (
          <TcpRuleDialog of={change} rule={rule} draft="edit" close={close} />
        ),
    },
    itemOf('delete', {
      ...wordsOf(text, 'delete', name),
      mutation: 'deleteGatewayRule',
      target: input,
      done: leave,
    }),
  ];
}
