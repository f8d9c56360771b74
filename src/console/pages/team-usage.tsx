import { useView } from '../api/view.ts';
import { TeamRegionsQuery } from '../documents/use.ts';
import { LoadError, Loading, NotFound } from '../ui/blocks.tsx';
import { TeamHead } from '../ui/team-head.tsx';
import { TeamUse } from '../use/team-use.tsx';

/** The usage of a team's quotas. */
export function TeamUsagePage({ name }: { name: string }) {
  const { data, error, isLoading, retry } = useView(TeamRegionsQuery, { by: { name } });
  const team = data?.team;
  if (isLoading) return <Loading />;
  if (!team) return error && !data ? <LoadError error={error} retry={retry} /> : <NotFound />;
  return (
    <>
      <TeamHead name={name} alias={team.alias} tab="usage" />
      <TeamUse team={team} />
    </>
  );
}
