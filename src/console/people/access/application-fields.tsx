import { useState } from 'react';
import { useQuery } from 'urql';
import { TeamApplicationChoiceQuery } from '../../documents/tokens.ts';
import type { ControlProps, Field, Values } from '../../form/values.ts';
import { ComboBox, useSought } from '../../ui/combo-box.tsx';
import { text } from '../strings.ts';

const { fields, hints } = text.members;

interface Application {
  id: string;
  name: string;
}

/** The applications of a team that a role is limited to. An owner is not limited. */
export function applicationFields(
  values: Values,
  { team, limit, role }: { team: string; limit: readonly Application[] | null; role: string },
): Field[] {
  if (role === 'OWNER') return [];
  const isLimited: Field = {
    name: 'isLimited',
    label: fields.isLimited,
    kind: 'checkbox',
    value: limit !== null,
  };
  if (!(values.isLimited ?? limit !== null)) return [isLimited];
  const rows = (limit ?? []).map(({ id, name }) => ({ application: JSON.stringify({ id, name }) }));
  return [
    isLimited,
    {
      name: 'applications',
      label: fields.applications,
      hint: hints.applications,
      kind: 'rows',
      add: fields.addApplication,
      value: rows.length > 0 ? rows : [{ application: '' }],
      fields: [
        {
          name: 'application',
          label: fields.application,
          required: true,
          control: (props) => <ApplicationPicker {...props} team={team} />,
        },
      ],
    },
  ];
}

/** Null for the whole team. */
export function applicationsInput(values: Values, role: string): { id: string }[] | null {
  if (values.isLimited !== true || role === 'OWNER') return null;
  const rows = Array.isArray(values.applications) ? (values.applications as readonly Values[]) : [];
  return rows.flatMap(({ application }) => {
    const chosen = applicationIn(application);
    return chosen ? [{ id: chosen.id }] : [];
  });
}

const applicationIn = (value: unknown): Application | undefined =>
  typeof value === 'string' && value !== '' ? (JSON.parse(value) as Application) : undefined;

function ApplicationPicker({ team, common, value, change }: ControlProps & { team: string }) {
  const chosen = applicationIn(value);
  const [typed, setTyped] = useState('');
  const search = useSought(typed);
  const [{ data }] = useQuery({
    query: TeamApplicationChoiceQuery,
    variables: { by: { id: team }, search },
  });
  const options = (data?.team?.applications.nodes ?? []).map(({ id, name }) => ({
    value: JSON.stringify({ id, name }),
    text: name,
  }));
  return (
    <ComboBox
      common={common}
      text={chosen?.name ?? typed}
      options={options}
      placeholder={text.tokens.hints.search}
      invalid={typed !== '' && !chosen ? text.tokens.hints.notChosen : undefined}
      type={(next) => {
        setTyped(next);
        if (chosen) change('');
      }}
      choose={(option) => {
        setTyped('');
        change(option.value);
      }}
    />
  );
}
