import { useEffect, useState } from 'react';
import { follow } from './live.ts';

const query = `query Applications($team: TeamRef!) {
  team(by: $team) { applications(first: 100) { nodes { id name } } }
}`;
const subscription = 'subscription Changes($team: TeamRef!) { events(team: $team) { id } }';

interface Props {
  url: string;
  token: string;
  team: string;
}

/** The applications of a team, as they are now. */
export function Applications({ url, token, team }: Props) {
  const [applications, setApplications] = useState<{ id: string; name: string }[]>([]);
  useEffect(() => {
    const left = new AbortController();
    const { signal } = left;
    const variables = { team: { name: team } };
    let reads = 0;
    const read = async () => {
      const current = ++reads;
      const response = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
        body: JSON.stringify({ query, variables }),
        signal,
      });
      const { data } = await response.json();
      // An older response can arrive after a newer one.
      if (current === reads && data?.team) setApplications(data.team.applications.nodes);
    };
    void follow({ url, token, subscription, variables, signal }, () => void read().catch(() => {}));
    return () => left.abort();
  }, [url, token, team]);
  return (
    <ul>
      {applications.map(({ id, name }) => (
        <li key={id}>{name}</li>
      ))}
    </ul>
  );
}
