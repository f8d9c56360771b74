import type { ReactNode } from 'react';
import { strings } from '../strings.ts';
import { Choice } from '../ui/choice.tsx';

const text = strings.record;

/** The filter of the record, which is stored in the address. */
export interface Wanted {
  type?: string;
  action?: string;
  application?: string;
  user?: string;
  span?: string;
}

interface Props {
  wanted: Wanted;
  want(wanted: Wanted): void;
  types: Readonly<Record<string, string>>;
  people: readonly { id: string; nickName: string }[];
  applications?: readonly { appUid: number; name: string }[] | undefined;
  /** The actions of the events that are shown, any number of times each. */
  actions: readonly string[];
  children?: ReactNode;
}

export function Filters({ wanted, want, types, people, applications, actions, children }: Props) {
  const select = (
    name: keyof Wanted,
    label: string,
    all: string,
    texts: Readonly<Record<string, string>>,
  ) => (
    <Choice
      label={label}
      options={Object.keys(texts)}
      texts={texts}
      value={wanted[name]}
      change={(value) => want({ ...wanted, [name]: value || undefined })}
      none={all}
    />
  );
  const shownActions = [...new Set([...actions, ...(wanted.action ? [wanted.action] : [])])].sort();
  return (
    <search className="row wrap">
      {applications &&
        select(
          'application',
          text.applicationLabel,
          text.anyApplication,
          Object.fromEntries(applications.map(({ appUid, name }) => [appUid, name])),
        )}
      {select('type', text.typeLabel, text.anyType, types)}
      {select(
        'action',
        text.actionLabel,
        text.anyAction,
        Object.fromEntries(shownActions.map((action) => [action, text.action(action)])),
      )}
      {select(
        'user',
        text.userLabel,
        text.anyUser,
        Object.fromEntries(people.map(({ id, nickName }) => [id, nickName])),
      )}
      {select('span', text.spanLabel, text.anySpan, text.spans)}
      {children}
    </search>
  );
}
