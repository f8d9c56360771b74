import { useRef, useState } from 'react';
import { useQuery } from 'urql';
import type { Act } from '../../act/act.ts';
import type { Change } from '../../act/action.ts';
import { ActionDialog } from '../../act/dialog.tsx';
import { CreateHttpRule, UpdateHttpRule } from '../../documents/act-rule.ts';
import { CertificateChoiceQuery } from '../../documents/certificates.ts';
import type { Values } from '../../form/values.ts';
import { AddCertificateDialog, type Certificate } from '../certificates/dialogs.tsx';
import { DatabaseWarning } from '../database-warning.tsx';
import { type Choosable, certificateField } from './certificate-field.tsx';
import { RuleDone } from './done.tsx';
import { type HttpRule, httpForm } from './http-form.ts';

/** The parts of a dialog that differ between creating and changing a rule. */
export interface RuleChange {
  title: string;
  label: string;
  /** The global id of the team. */
  team: string;
  /** The references of the input: to the port of a new rule, or to the rule. */
  input: object;
  /** Whether the port of a new rule is open to the outside. */
  isOuter?: boolean;
  /** The database that becomes reachable for everybody, if the port belongs to one. */
  database?: string;
}

interface Props {
  of: RuleChange;
  /** The rule that is changed. */
  rule?: HttpRule;
  draft: string;
  close(): void;
}

/** Adds or changes an HTTP rule. A certificate for it can be added in between. */
export function HttpRuleDialog({ of, rule, draft, close }: Props) {
  const { team, isOuter } = of;
  const [{ data }] = useQuery({ query: CertificateChoiceQuery, variables: { team: { id: team } } });
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
      <ActionDialog
        close={close}
        draft={draft}
        action={{
          label: of.label,
          title: of.title,
          document: (rule ? UpdateHttpRule : CreateHttpRule) as Act<object>,
          plan: 'live',
          fields(values, change) {
            choose.current = change;
            return formOf(values).fields;
          },
          input: (values) => ({
            ...formOf(values).input(values),
            ...of.input,
            ...(isOuter && { opensPort: true }),
          }),
        }}
        summary={() => <DatabaseWarning of={of.database} />}
        result={(payload) => <RuleDone payload={payload} />}
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
