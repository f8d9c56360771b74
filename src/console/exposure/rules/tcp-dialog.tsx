import type { Act } from '../../act/act.ts';
import { ActionDialog } from '../../act/dialog.tsx';
import type { FragmentOf } from '../../api/graphql.ts';
import { CreateTcpRule, UpdateTcpRule } from '../../documents/act-rule.ts';
import type { TcpRuleForm } from '../../documents/rules.ts';
import { inputForm } from '../../form/input-form.ts';
import { DatabaseWarning } from '../database-warning.tsx';
import { RuleDone } from './done.tsx';
import type { RuleChange } from './http-dialog.tsx';
import { text } from './strings.ts';

const { labels, hints } = text;

interface Props {
  of: RuleChange;
  /** The rule that is changed. */
  rule?: FragmentOf<typeof TcpRuleForm>;
  draft: string;
  close(): void;
}

/** Adds or changes a TCP rule. */
export function TcpRuleDialog({ of, rule, draft, close }: Props) {
  const form = inputForm(rule ? 'UpdateTcpRuleInput' : 'CreateTcpRuleInput', {
    first: ['endpoint', 'mappedAddress'],
    more: 'rest',
    omit: ['portNumber'],
    fields: {
      endpoint: { label: labels.endpoint, hint: hints.endpoint, required: true },
      mappedAddress: { label: labels.mappedAddress, hint: hints.mappedAddress },
      extensions: { label: labels.extensions, hint: undefined, add: labels.addExtension },
    },
    current: rule && { ...rule, extensions: rule.tcpExtensions },
  });
  return (
    <ActionDialog
      close={close}
      draft={draft}
      action={{
        label: of.label,
        title: of.title,
        intro: rule || of.isOuter ? undefined : hints.tcp,
        document: (rule ? UpdateTcpRule : CreateTcpRule) as Act<object>,
        plan: 'live',
        fields: () => form.fields,
        input(values) {
          const { mappedAddress, ...rest } = form.input(values);
          return {
            ...rest,
            ...(mappedAddress !== undefined && { mappedAddress: mappedAddress || null }),
            ...of.input,
          };
        },
      }}
      summary={() => <DatabaseWarning of={of.database} />}
      result={(payload) => <RuleDone payload={payload} />}
    />
  );
}
