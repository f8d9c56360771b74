import { ActionTable } from '../../act/action-table.tsx';
import { itemOf } from '../../act/items.tsx';
import { LoadMore, restOf } from '../../ui/load-more.tsx';
import { Tag } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { text } from '../strings.ts';
import { browserName } from './browser-name.ts';

interface Session {
  id: string;
  address: string;
  browser: string;
  createdAt: string;
  lastUsedAt: string;
  expiresAt: string;
}
interface Props {
  sessions: {
    totalCount: number;
    pageInfo: { endCursor: string | null; hasNextPage: boolean };
    nodes: readonly Session[];
  };
  /** The session of the request. */
  current: string | undefined;
  empty: string;
  mayEnd: boolean;
  loadMore(after: string): void;
}

/** Where a user is signed in, the newest first. */
export function SessionTable({ sessions, current, empty, mayEnd, loadMore }: Props) {
  const more = restOf(sessions, loadMore);
  return (
    <div className="stack">
      <ActionTable
        label={text.sessions.title}
        columns={text.sessions.columns}
        empty={empty}
        rows={[...sessions.nodes].reverse()}
        classes={{ address: 'mono soft', created: 'soft', used: 'soft', expires: 'soft' }}
        cells={(session) => ({
          browser: (
            <span className="row wrap">
              <span title={session.browser}>{browserName(session.browser) || text.sessions.unknown}</span>
              {session.id === current && <Tag tone="good">{text.sessions.current}</Tag>}
            </span>
          ),
          address: session.address || text.sessions.unknown,
          created: <Time at={session.createdAt} />,
          used: <Time at={session.lastUsedAt} />,
          expires: <Time at={session.expiresAt} />,
        })}
        itemsOf={mayEnd && ((session) => [endItem(session, session.id === current)])}
      />
      {more && <LoadMore {...more} />}
    </div>
  );
}

const endItem = ({ id, browser }: Session, isCurrent: boolean) =>
  itemOf(`end ${id}`, {
    intro: isCurrent
      ? text.sessions.endCurrent
      : text.sessions.endIntro(browserName(browser) || text.sessions.unknown),
    mutation: 'endSession',
    target: { session: { id } },
  });
