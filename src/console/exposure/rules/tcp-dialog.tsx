import type { FragmentOf } from '../../api/graphql.ts';
import type { TcpRuleForm } from '../../documents/rules.ts';
import { RuleDialog, type RuleDialogProps } from './rule-dialog.tsx';
import { text } from './strings.ts';

const { labels, hints } = text;

export function TcpRuleDialog({ rule, ...props }: RuleDialogProps<FragmentOf<typeof TcpRuleForm>>) {
  const { input, isOuter } = props.of;
  return (
    <RuleDialog
      {...props}
      action={{
        intro: rule || isOuter ? undefined : hints.tcp,
        mutation: rule ? 'updateTcpRule' : 'createTcpRule',
        form: {
          first: ['endpoint', 'mappedAddress'],
          more: ['rest'],
          omit: ['portNumber'],
          fields: {
            endpoint: { label: labels.endpoint, hint: hints.endpoint, required: true },
            mappedAddress: { label: labels.mappedAddress, hint: hints.mappedAddress, isNullable: true },
            extensions: { label: labels.extensions, hint: undefined, add: labels.addExtension },
          },
          current: rule && { ...rule, extensions: rule.tcpExtensions },
        },
        target: input as never,
      }}
    />
  );
}
