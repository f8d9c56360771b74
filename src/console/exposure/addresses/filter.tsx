import { type Filter, FilterBar, FilterCheck, FilterChoice, useFilter } from '../../ui/filter.tsx';
import { text } from '../strings.ts';

const protocols = ['https', 'http', 'tcp', 'mysql', 'udp'] as const;

/** The filter of the addresses, with the variables of their query. */
export function useExposedFilter() {
  const filter = useFilter();
  const { search } = filter;
  const protocol = filter.valueOf('protocol', protocols);
  const isHttp = protocol === 'http' || protocol === 'https';
  return {
    filter,
    isFiltered: Boolean(search || protocol),
    onlyWarnings: filter.isSet('warnings'),
    /** Warnings are not among them: they are found in the results. */
    variables: {
      ...(search && { search }),
      withHttp: protocol === undefined || isHttp,
      withTcp: protocol === undefined || !isHttp,
      ...(isHttp && { hasCertificate: protocol === 'https' }),
      ...(protocol === 'mysql' && { protocol: 'MYSQL' as const }),
      ...(protocol === 'udp' && { protocol: 'UDP' as const }),
    },
  };
}

export const ExposedFilter = ({ filter }: { filter: Filter }) => (
  <FilterBar label={text.filter} filter={filter}>
    <FilterChoice
      filter={filter}
      name="protocol"
      label={text.protocolLabel}
      options={protocols}
      texts={text.protocols}
      none={text.anyProtocol}
    />
    <FilterCheck filter={filter} name="warnings" label={text.onlyWarnings} />
  </FilterBar>
);
