import '../../styles/start.css';
import { useEffect } from 'react';
import { useQuery } from 'urql';
import { Link } from 'wouter';
import { StartQuery } from '../../documents/start.ts';
import { BlankCard, Loading } from '../../ui/blocks.tsx';
import { WhomToAsk } from './ask.tsx';
import { progressOf } from './progress.ts';
import { Steps } from './steps.tsx';
import { text } from './strings.ts';

/** The home page of somebody without a team: the first steps, the teams of others, or whom to ask. */
export function NoTeams({ hasBegun, begin }: { hasBegun: boolean; begin(): void }) {
  const [{ data }] = useQuery({ query: StartQuery });
  const progress = data && progressOf(data);
  const isEmpty = Boolean(progress?.mayStart && !progress.team);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when it becomes empty
  useEffect(() => {
    if (isEmpty) begin();
  }, [isEmpty]);
  if (!data) return <Loading />;
  const { enterprise, isAdministrator } = data.viewer;
  if (hasBegun || isEmpty) {
    return (
      <>
        <p className="soft">{text.intro}</p>
        <Steps />
      </>
    );
  }
  return (
    <BlankCard title={text.noTeams}>
      {isAdministrator ? (
        <>
          <p>{text.noMembership}</p>
          <ul className="ask">
            {enterprise.teams.nodes.map(({ id, name, alias }) => (
              <li key={id}>
                <Link href={`/teams/${encodeURIComponent(name)}`}>{alias}</Link>
              </li>
            ))}
          </ul>
        </>
      ) : (
        <WhomToAsk />
      )}
    </BlankCard>
  );
}
