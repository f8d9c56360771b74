import { useState } from 'react';
import { useQuery } from 'urql';
import { Link, useLocation } from 'wouter';
import { TeamChoiceQuery } from '../documents/search.ts';
import { strings } from '../strings.ts';
import { SwitchIcon } from '../ui/icons.tsx';
import { Menu } from '../ui/menu.tsx';
import { SearchField } from '../ui/search-field.tsx';

const text = strings.header;

/** A menu of the teams of the caller, found by the server, so that there can be any number of them. */
export function TeamSwitcher({ current }: { current: string | undefined }) {
  return (
    <Menu
      label={current === undefined ? `${text.allTeams}: ${text.switchTeam}` : text.switchTeam}
      button={
        <>
          {current === undefined && <span className="label">{text.allTeams}</span>}
          <SwitchIcon />
        </>
      }
      isLeft
    >
      {(close) => <Teams current={current} close={close} />}
    </Menu>
  );
}

/** `current` is the address of the team that one is in. */
function Teams({ current, close }: { current: string | undefined; close(): void }) {
  const [search, setSearch] = useState('');
  const [{ data, stale, fetching }] = useQuery({
    query: TeamChoiceQuery,
    variables: { search: search.trim() || null },
  });
  const [location] = useLocation();
  // From the record of a team to the record of another one.
  const [tab = ''] = /(?<=^\/teams\/[^/]+)\/(?:usage|record)$/.exec(location) ?? [];
  const teams = data?.teams;
  const more = teams ? teams.totalCount - teams.nodes.length : 0;
  return (
    <div className="team-choice">
      <SearchField label={text.findTeam} value={search} change={setSearch} isFocused />
      <ul aria-busy={fetching || stale}>
        {teams?.nodes.map(({ id, name, alias }) => {
          const href = `/teams/${encodeURIComponent(name)}`;
          return (
            <li key={id}>
              <Link href={href + tab} aria-current={href === current ? 'true' : undefined} onClick={close}>
                <span className="truncate">{alias}</span>
                {alias !== name && <span className="soft small truncate">{name}</span>}
              </Link>
            </li>
          );
        })}
      </ul>
      {teams?.totalCount === 0 && <p className="menu-note small soft">{text.noTeam}</p>}
      {more > 0 && <p className="menu-note small soft">{text.moreTeams(more)}</p>}
      <hr />
      <Link href="/" onClick={close}>
        {text.allTeams}
      </Link>
    </div>
  );
}
