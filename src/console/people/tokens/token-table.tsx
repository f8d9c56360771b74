import '../../styles/people.css';
import { useState } from 'react';
import { ActionBar } from '../../act/action-bar.tsx';
import { itemOf } from '../../act/items.tsx';
import type { FragmentOf } from '../../api/graphql.ts';
import type { TokensOf } from '../../documents/tokens.ts';
import { Table } from '../../ui/blocks.tsx';
import { LoadMore, restOf } from '../../ui/load-more.tsx';
import { Tag } from '../../ui/status.tsx';
import { Day, Time } from '../../ui/time.tsx';
import { grantOf } from '../access/grants.ts';
import { Grants, shortOf } from '../access/grants-view.tsx';
import { text } from '../strings.ts';

type Tokens = FragmentOf<typeof TokensOf>;
type Token = Tokens['nodes'][number];

interface Props {
  label: string;
  tokens: Tokens;
  /** The text for a token without grants. */
  unlimited: string;
  /** The token of the request. */
  current: string | undefined;
  mayRevoke: boolean;
  loadMore(after: string): void;
}

const isOver = ({ revokedAt, expiresAt }: Token) =>
  revokedAt !== null || (expiresAt !== null && Date.parse(expiresAt) <= Date.now());

/** Access tokens, the newest first. Those that do not work any more are folded away. */
export function TokenTable({ label, tokens, unlimited, current, mayRevoke, loadMore }: Props) {
  const [showsOld, setShowsOld] = useState(false);
  const newest = [...tokens.nodes].reverse();
  const old = newest.filter(isOver);
  const visible = showsOld ? newest : newest.filter((token) => !isOver(token));
  const more = restOf(tokens, loadMore);
  return (
    <div className="stack">
      <Table
        label={label}
        columns={Object.values(text.tokens.columns)}
        empty={old.length > 0 ? text.tokens.emptyActive : text.tokens.empty}
      >
        {visible.map((token) => (
          <Row
            key={token.id}
            token={token}
            unlimited={unlimited}
            isCurrent={token.id === current}
            mayRevoke={mayRevoke}
          />
        ))}
      </Table>
      {old.length > 0 && (
        <button type="button" className="button quiet small" onClick={() => setShowsOld(!showsOld)}>
          {showsOld ? text.tokens.hideOld : text.tokens.showOld(old.length)}
        </button>
      )}
      {more && <LoadMore {...more} />}
    </div>
  );
}

interface RowProps {
  token: Token;
  unlimited: string;
  isCurrent: boolean;
  mayRevoke: boolean;
}

function Row({ token, unlimited, isCurrent, mayRevoke }: RowProps) {
  const { name, isReadOnly, grants, trust, expiresAt, revokedAt, lastUsedAt } = token;
  const held = grants?.map(grantOf) ?? null;
  const isGone = isOver(token);
  return (
    <tr>
      <td>
        <span className="row wrap">
          {name}
          {isCurrent && <Tag tone="good">{text.tokens.current}</Tag>}
        </span>
        {trust && <div className="soft small">{text.tokens.fromPipeline(trust.issuer)}</div>}
      </td>
      <td>
        <details className="may">
          <summary>
            {shortOf(held, unlimited)}
            {isReadOnly && ` · ${text.grants.short.readOnly}`}
          </summary>
          <Grants grants={held} isReadOnly={isReadOnly} unlimited={unlimited} />
        </details>
      </td>
      <td className="soft">{lastUsedAt ? <Time at={lastUsedAt} /> : text.tokens.notUsed}</td>
      <td className="soft">
        {revokedAt ? (
          text.tokens.revoked
        ) : expiresAt === null ? (
          text.tokens.never
        ) : isGone ? (
          text.tokens.expired
        ) : (
          <Day at={expiresAt} />
        )}
      </td>
      <td className="row-actions">
        {mayRevoke && !isGone && <ActionBar isSmall items={[revokeItem(token, isCurrent)]} />}
      </td>
    </tr>
  );
}

const revokeItem = ({ id, name }: Token, isCurrent: boolean) =>
  itemOf(`revoke ${id}`, {
    label: text.tokens.revoke,
    title: text.tokens.titles.revoke(name),
    intro: `${text.tokens.revokeIntro(name)}${isCurrent ? ` ${text.tokens.revokeCurrent}` : ''}`,
    mutation: 'revokeAccessToken',
    target: { token: { id } },
  });
