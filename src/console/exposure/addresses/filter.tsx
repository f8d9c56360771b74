import { useSearchParams } from 'wouter';
import { Choice } from '../../ui/choice.tsx';
import { Check } from '../../ui/controls.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { setParam } from '../../ui/set-param.ts';
import { text } from '../strings.ts';

const protocols = ['https', 'http', 'tcp', 'mysql', 'udp'] as const;

/** The filter of the addresses, which is in the address of the page. */
export function useExposedFilter() {
  const [params, setParams] = useSearchParams();
  const protocol = protocols.find((each) => each === params.get('protocol'));
  const search = params.get('search') ?? '';
  const isHttp = protocol === 'http' || protocol === 'https';
  return {
    search,
    protocol,
    onlyWarnings: params.has('warnings'),
    set: setParam(setParams),
    /** The variables of the query. Warnings are not among them: they are found in its results. */
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

export function ExposedFilter({ search, protocol, onlyWarnings, set }: ReturnType<typeof useExposedFilter>) {
  return (
    <search className="row wrap filter-bar">
      <SearchField label={text.filter} value={search} change={(value) => set('search', value)} />
      <Choice
        label={text.protocolLabel}
        options={protocols}
        texts={text.protocols}
        value={protocol}
        change={(value) => set('protocol', value)}
        none={text.anyProtocol}
      />
      <Check
        label={text.onlyWarnings}
        checked={onlyWarnings}
        change={(isChecked) => set('warnings', isChecked ? 'only' : '')}
      />
    </search>
  );
}
