import { ActionBar } from '../../act/action-bar.tsx';
import { itemOf } from '../../act/items.tsx';
import { Table } from '../../ui/blocks.tsx';
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
      <Table label={text.sessions.title} columns={Object.values(text.sessions.columns)} empty={empty}>
        {[...sessions.nodes].reverse().map((session) => (
          <tr key={session.id}>
            <td>
              <span className="row wrap">
                <span title={session.browser}>{browserName(session.browser) || text.sessions.unknown}</span>
                {session.id === current && <Tag tone="good">{text.sessions.current}</Tag>}
              </span>
            </td>
            <td className="mono soft">{session.address || text.sessions.unknown}</td>
            <td className="soft">
              <Time at={session.createdAt} />
            </td>
            <td className="soft">
              <Time at={session.lastUsedAt} />
            </td>
            <td className="soft">
              <Time at={session.expiresAt} />
            </td>
            <td className="row-actions">
              {mayEnd && <ActionBar isSmall items={[endItem(session, session.id === current)]} />}
            </td>
          </tr>
        ))}
      </Table>
      {more && <LoadMore {...more} />}
    </div>
  );
}

const endItem = ({ id, browser }: Session, isCurrent: boolean) =>
  itemOf(`end ${id}`, {
    label: text.sessions.end,
    title: text.sessions.endTitle,
    intro: isCurrent
      ? text.sessions.endCurrent
      : text.sessions.endIntro(browserName(browser) || text.sessions.unknown),
    mutation: 'endSession',
    target: { session: { id } },
  });
