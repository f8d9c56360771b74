import type { ReactNode } from 'react';
import { useSearchParams } from 'wouter';
import { Choice, type ChoiceProps } from './choice.tsx';
import { Check } from './controls.tsx';
import { SearchField } from './search-field.tsx';
import { setParam } from './set-param.ts';

/** The filter of a list, which is in the address: a link shows the same. */
export function useFilter() {
  const [params, setParams] = useSearchParams();
  return {
    search: params.get('search') ?? '',
    /** The value of a choice, if it is one of its options. */
    valueOf: <Value extends string>(name: string, options: readonly Value[]) =>
      options.find((each) => each === params.get(name)),
    isSet: (name: string) => params.has(name),
    set: setParam(setParams),
  };
}
export type Filter = ReturnType<typeof useFilter>;

interface FilterBarProps {
  label: string;
  filter: Filter;
  children?: ReactNode;
}

/** The fields of a filter, the first of which searches. */
export const FilterBar = ({ label, filter: { search, set }, children }: FilterBarProps) => (
  <search className="row wrap filter-bar">
    <SearchField label={label} value={search} change={(value) => set('search', value)} />
    {children}
  </search>
);

interface FilterChoiceProps extends Omit<ChoiceProps, 'value' | 'change'> {
  filter: Filter;
  name: string;
}

export const FilterChoice = ({ filter, name, ...choice }: FilterChoiceProps) => (
  <Choice
    {...choice}
    value={filter.valueOf(name, choice.options)}
    change={(value) => filter.set(name, value)}
  />
);

export const FilterCheck = ({ filter, name, label }: { filter: Filter; name: string; label: string }) => (
  <Check
    label={label}
    checked={filter.isSet(name)}
    change={(isChecked) => filter.set(name, isChecked ? 'only' : '')}
  />
);
