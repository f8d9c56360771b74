import { useSearchParams } from 'wouter';
import type { Wanted } from './filters.tsx';

/** The filter of a record, which is kept in the address. */
export function useWanted(): [wanted: Wanted, want: (wanted: Wanted) => void] {
  const [search, setSearch] = useSearchParams();
  return [
    Object.fromEntries(search),
    (wanted) =>
      setSearch(Object.entries(wanted).filter((entry): entry is [string, string] => Boolean(entry[1]))),
  ];
}
