import type { Item } from '../../act/action-bar.tsx';
import { itemOf } from '../../act/items.tsx';
import { lazyDialog } from '../../act/lazy-dialog.tsx';
import type { FragmentOf } from '../../api/graphql.ts';
import { DeleteGatewayRule } from '../../documents/act-rule.ts';
import type { HttpRuleForm, TcpRuleForm } from '../../documents/rules.ts';
import { strings } from '../../strings.ts';
import type { HttpRuleDialog as Http, RuleChange } from './http-dialog.tsx';
import { text } from './strings.ts';
import type { TcpRuleDialog as Tcp } from './tcp-dialog.tsx';

const HttpRuleDialog = lazyDialog<Parameters<typeof Http>[0]>(
  async () => (await import('./http-dialog.tsx')).HttpRuleDialog,
);
const TcpRuleDialog = lazyDialog<Parameters<typeof Tcp>[0]>(
  async () => (await import('./tcp-dialog.tsx')).TcpRuleDialog,
);

/** A new rule of a port. */
type NewRule = Omit<RuleChange, 'label'>;

export const addHttpRule = (key: string, of: NewRule): Item => {
  const label = strings.act.addHttpRule;
  return {
    key,
    label,
    open: (close) => <HttpRuleDialog of={{ ...of, label }} draft={key} close={close} />,
  };
};

export const addTcpRule = (key: string, of: NewRule): Item => {
  const label = strings.act.addTcpRule;
  return {
    key,
    label,
    open: (close) => <TcpRuleDialog of={{ ...of, label }} draft={key} close={close} />,
  };
};

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
      label: text.delete,
      title: text.deleteTitle(name),
      intro: text.deleteIntro,
      isDestructive: true,
      document: DeleteGatewayRule,
      plan: 'step',
      input: () => input,
      done: leave,
    }),
  ];
}
