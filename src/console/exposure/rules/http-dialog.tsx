import { useRef, useState } from 'react';
import { useQuery } from 'urql';
import type { Change } from '../../act/action.ts';
import { CertificateChoiceQuery } from '../../documents/certificates.ts';
import type { Values } from '../../form/values.ts';
import { AddCertificateDialog, type Certificate } from '../certificates/dialogs.tsx';
import { type Choosable, certificateField } from './certificate-field.tsx';
import { type HttpRule, httpForm } from './http-form.ts';
import { RuleDialog, type RuleDialogProps } from './rule-dialog.tsx';

/** Adds or changes an HTTP rule. A certificate for it can be added in between. */
export function HttpRuleDialog({ rule, ...props }: RuleDialogProps<HttpRule>) {
  const { team, isOuter, input } = props.of;
  const [{ data }] = useQuery({ query: CertificateChoiceQuery, variables: { by: { id: team } } });
  const [added, setAdded] = useState<Certificate>();
  const [isAdding, setAdding] = useState(false);
  const choose = useRef<Change>(undefined);
  const teamCertificates: Choosable[] = data?.team?.certificates.nodes ?? [];
  // The list may not have the new one yet, nor the one that the rule has.
  const certificates = [
    ...teamCertificates,
    ...(added ? [added] : []),
    ...(rule?.certificate ? [rule.certificate] : []),
  ].filter(({ id }, index, all) => all.findIndex((each) => each.id === id) === index);
  const formOf = (values: Values) =>
    httpForm(
      certificateField({
        certificates,
        domain: String(values.domain ?? rule?.domain ?? '').trim(),
        chosen: String(values.certificate ?? rule?.certificate?.id ?? ''),
        addNew: data?.team?.mayAdd ? () => setAdding(true) : undefined,
      }),
      { isOuter, rule },
    );
  return (
    <>
      <RuleDialog
        {...props}
        action={{
          mutation: rule ? 'updateHttpRule' : 'createHttpRule',
          form(values: Values, change: Change) {
            choose.current = change;
            return formOf(values) as never;
          },
          target: { ...input, ...(isOuter && { opensPort: true }) } as never,
        }}
      />
      {isAdding && (
        <AddCertificateDialog
          team={team}
          close={() => setAdding(false)}
          added={(certificate) => {
            setAdded(certificate);
            setAdding(false);
            choose.current?.('certificate', certificate.id);
          }}
        />
      )}
    </>
  );
}
