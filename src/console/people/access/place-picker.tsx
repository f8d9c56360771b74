import { useState } from 'react';
import { useQuery } from 'urql';
import { PlaceChoiceQuery } from '../../documents/tokens.ts';
import type { ControlProps } from '../../form/values.ts';
import { ComboBox, useSought } from '../../ui/combo-box.tsx';
import { text } from '../strings.ts';
import { type GrantScope, placeIn, placeValue } from './grants.ts';

interface Props extends ControlProps {
  kinds: readonly GrantScope['kind'][];
}

/** Chooses a team, an application or a component. The value of the field is the place, or empty. */
export function PlacePicker({ kinds, common, value, change }: Props) {
  const found = placeIn(value);
  const chosen = found && kinds.includes(found.kind) ? found : undefined;
  const [typed, setTyped] = useState('');
  const sought = useSought(typed);
  const [{ data }] = useQuery({
    query: PlaceChoiceQuery,
    variables: {
      search: sought,
      teams: kinds.includes('team'),
      applications: kinds.includes('application'),
      components: kinds.includes('component'),
    },
  });
  const places: GrantScope[] = [
    ...(data?.teams?.nodes ?? []).map(({ id, alias }) => place('team', id, alias)),
    ...(data?.applications?.nodes ?? []).map(({ id, name, team }) =>
      place('application', id, name, team.alias),
    ),
    ...(data?.components?.nodes ?? []).map(({ id, name, application, team }) =>
      place('component', id, name, application.name, team.alias),
    ),
  ];
  const options = places.map((each) => ({
    value: placeValue(each),
    text: each.name,
    note: [text.grants.kinds[each.kind], each.where].filter(Boolean).join(' · '),
  }));
  return (
    <ComboBox
      common={common}
      text={chosen ? [chosen.name, chosen.where].filter(Boolean).join(' · ') : typed}
      options={options}
      placeholder={text.tokens.hints.search}
      invalid={typed !== '' && !chosen ? text.tokens.hints.notChosen : undefined}
      type={(next) => {
        setTyped(next);
        if (found) change('');
      }}
      choose={(option) => {
        setTyped('');
        change(option.value);
      }}
    />
  );
}

const place = (kind: GrantScope['kind'], id: string, name: string, ...where: string[]): GrantScope => ({
  kind,
  id,
  name,
  where: where.join(' · '),
});
