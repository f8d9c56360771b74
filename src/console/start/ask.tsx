import { useQuery } from 'urql';
import { AdministratorsQuery } from '../documents/start.ts';
import { text } from './strings.ts';

/** The administrators, whom people without a team can ask. */
export function WhomToAsk() {
  const [{ data, fetching }] = useQuery({ query: AdministratorsQuery });
  if (fetching && !data) return null;
  const { nodes = [], totalCount = 0 } = data?.administrators ?? {};
  if (nodes.length === 0) return <p>{text.askSomebody}</p>;
  return (
    <>
      <p>{text.ask}</p>
      <ul className="ask">
        {nodes.map(({ id, nickName, email }) => (
          <li key={id}>
            {nickName} <a href={`mailto:${email}`}>{email}</a>
          </li>
        ))}
        {totalCount > nodes.length && (
          <li className="soft">{text.moreAdministrators(totalCount - nodes.length)}</li>
        )}
      </ul>
    </>
  );
}
