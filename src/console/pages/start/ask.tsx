import { useQuery } from 'urql';
import { AdministratorsQuery } from '../../documents/start.ts';
import { text } from './strings.ts';

/** The administrators, whom people without a team can ask. */
export function WhomToAsk() {
  const [{ data, fetching }] = useQuery({ query: AdministratorsQuery });
  if (fetching && !data) return null;
  const names = data?.viewer.enterprise.administratorNames ?? [];
  if (names.length === 0) return <p>{text.askSomebody}</p>;
  return (
    <>
      <p>{text.ask}</p>
      <ul className="ask">
        {names.map((name) => (
          <li key={name}>{name}</li>
        ))}
      </ul>
    </>
  );
}
