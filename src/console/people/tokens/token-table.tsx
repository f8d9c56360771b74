import '../../styles/people.css';
import { useState } from 'react';
import { ActionTable } from '../../act/action-table.tsx';
import { itemOf, present } from '../../act/items.tsx';
import type { FragmentOf } from '../../api/graphql.ts';
import type { TokensOf } from '../../documents/tokens.ts';
import { Button } from '../../ui/controls.tsx';
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
      <ActionTable
        label={label}
        columns={text.tokens.columns}
        empty={old.length > 0 ? text.tokens.emptyActive : text.tokens.empty}
        rows={visible}
        classes={{ used: 'soft', expires: 'soft' }}
        cells={(token) => cellsOf(token, unlimited, token.id === current)}
        itemsOf={(token) => present(mayRevoke && !isOver(token) && revokeItem(token, token.id === current))}
      />
      {old.length > 0 && (
        <Button look="quiet small" onClick={() => setShowsOld(!showsOld)}>
          {showsOld ? text.tokens.hideOld : text.tokens.showOld(old.length)}
        </Button>
      )}
      {more && <LoadMore {...more} />}
    </div>
  );
}

function cellsOf(token: Token, unlimited: string, isCurrent: boolean) {
  const { name, isReadOnly, grants, trust, lastUsedAt } = token;
  const held = grants?.map(grantOf) ?? null;
  return {
    name: (
      <>
        <span className="row wrap">
          {name}
          {isCurrent && <Tag tone="good">{text.tokens.current}</Tag>}
        </span>
        {trust && <div className="soft small">{text.tokens.fromPipeline(trust.issuer)}</div>}
      </>
    ),
    may: (
      <details className="may">
        <summary>
          {shortOf(held, unlimited)}
          {isReadOnly && ` · ${text.grants.short.readOnly}`}
        </summary>
        <Grants grants={held} isReadOnly={isReadOnly} unlimited={unlimited} />
      </details>
    ),
    used: lastUsedAt ? <Time at={lastUsedAt} /> : text.tokens.notUsed,
    expires: endOf(token),
  };
}

function endOf(token: Token) {
  if (token.revokedAt) return text.tokens.revoked;
  if (token.expiresAt === null) return text.tokens.never;
  return isOver(token) ? text.tokens.expired : <Day at={token.expiresAt} />;
}

const revokeItem = ({ id, name }: Token, isCurrent: boolean) =>
  itemOf(`revoke ${id}`, {
    label: text.tokens.revoke,
    title: text.tokens.titles.revoke(name),
    intro: `${text.tokens.revokeIntro(name)}${isCurrent ? ` ${text.tokens.revokeCurrent}` : ''}`,
    mutation: 'revokeAccessToken',
    target: { token: { id } },
  });
