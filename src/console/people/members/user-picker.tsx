import { useEffect } from 'react';
import { useQuery } from 'urql';
import { UserChoiceQuery } from '../../documents/people.ts';
import type { ControlProps } from '../../form/values.ts';
import { ComboBox, useSought } from '../../ui/combo-box.tsx';
import { text } from '../strings.ts';

interface Props extends ControlProps {
  team: string;
  /** Called when it is known whether a user has the address in the field. */
  know(isUnknown: boolean): void;
}

/** How many suggestions are shown. */
const maxShown = 8;

/** The email address of a user outside the team, found by name or address. Only administrators can search all users. */
export function UserPicker({ team, common, value, change, know }: Props) {
  const typed = String(value);
  const search = useSought(typed);
  const [{ data, fetching, stale }] = useQuery({ query: UserChoiceQuery, variables: { team, search } });
  const users = data?.viewer.enterprise.users?.nodes;
  const isSettled = !fetching && !stale && search === typed.trim() && users !== undefined;
  const isUnknown =
    isSettled && isAddress(search) && !users.some(({ email }) => email === search.toLowerCase());
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when what is known changes
  useEffect(() => {
    if (isSettled) know(isUnknown);
  }, [isSettled, isUnknown]);
  const members = new Set(data?.team?.members.nodes.map(({ user }) => user.id));
  const isMember = users?.some(({ id, email }) => members.has(id) && email === typed.trim().toLowerCase());
  const options = (users ?? [])
    .filter(({ id }) => !members.has(id))
    .slice(0, maxShown)
    .map(({ email, nickName }) => ({ value: email, text: nickName || email, note: email }));
  return (
    <ComboBox
      common={common}
      text={typed}
      // No list once a user is chosen.
      options={options.some((option) => option.value === typed) ? [] : options}
      placeholder={text.members.hints.search}
      invalid={isMember ? text.members.hints.isMember : ''}
      type={change}
      choose={(option) => change(option.value)}
    />
  );
}

const isAddress = (text: string) => /^\S+@\S+\.\S+$/.test(text);
