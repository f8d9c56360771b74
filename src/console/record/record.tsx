import { type ReactNode, useEffect } from 'react';
import { useTeamsLive } from '../api/subscriptions.ts';
import { usePages, useView } from '../api/view.ts';
import { strings } from '../strings.ts';
import { BlankCard, LoadError, Loading, NotFound } from '../ui/blocks.tsx';
import { Button } from '../ui/controls.tsx';
import { ExportButton } from './export-button.tsx';
import { Filters, type Wanted } from './filters.tsx';
import { filterOf, type RecordOf, recordIn, requestOf } from './request.ts';
import { Timeline } from './timeline.tsx';

const text = strings.record;
const pageSize = 50;
/** A large change is one line. Then more is read, up to so many changes, until there are so many requests to see. */
const [fewRequests, mostChanges] = [10, 500];

interface Props {
  of: RecordOf;
  wanted: Wanted;
  want(wanted: Wanted): void;
  /** The content above the record of a team, with its display name. */
  head?(alias: string): ReactNode;
}

/** A record as a timeline. That of a team can be limited to an application. */
export function Record({ of, wanted, want, head }: Props) {
  const isOfTeam = of !== 'enterprise' && 'team' in of;
  const { application } = wanted;
  const { by, document } = requestOf(
    isOfTeam && application ? { application: { appId: Number(application) } } : of,
  );
  const filter = { ...(by && { by }), ...filterOf(wanted) } as { by: { name: string } };
  const variables = { ...filter, first: pageSize };
  const { data, error, isLoading, retry } = useView(document, variables);
  const pages = usePages();
  const record = recordIn(data);
  const { team, people = [], events } = record ?? {};
  useTeamsLive(team ? [team.id] : []);
  const endCursor = events?.pageInfo.hasNextPage ? events.pageInfo.endCursor : null;
  const requests = new Set(events?.nodes.map(({ requestId }) => requestId)).size;
  const changes = events?.nodes.length ?? 0;
  const isShort = changes > 0 && changes < mostChanges && requests < fewRequests;
  useEffect(() => {
    if (isShort && endCursor) pages.load(document, { ...variables, after: endCursor });
  });
  if (data && !record && !error) return <NotFound />;
  if (error && !record) return <LoadError error={error} retry={retry} />;
  return (
    <>
      {team && head?.(team.alias)}
      <Filters
        wanted={wanted}
        want={want}
        types={of === 'enterprise' ? text.enterpriseTypes : text.types}
        people={people}
        applications={isOfTeam ? team?.applications.nodes : undefined}
        actions={events?.nodes.map(({ action }) => action) ?? []}
      >
        {events && events.nodes.length > 0 && <ExportButton document={document} filter={filter} />}
      </Filters>
      {isLoading && <Loading />}
      {events && events.nodes.length === 0 && (
        <BlankCard title={text.empty} text={endCursor ? text.cutText : text.emptyText} />
      )}
      {events && events.nodes.length > 0 && <Timeline events={events.nodes} />}
      {endCursor && (
        <div>
          <Button onClick={() => pages.load(document, { ...variables, after: endCursor })}>
            {strings.common.loadMore}
          </Button>
        </div>
      )}
    </>
  );
}
