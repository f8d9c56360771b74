import '../../styles/people.css';
import { ActionBar } from '../../act/action-bar.tsx';
import { itemOf } from '../../act/items.tsx';
import { wordsOf } from '../../act/words.ts';
import { usePages, useView } from '../../api/view.ts';
import { AutomationQuery } from '../../documents/automation.ts';
import { BlankCard } from '../../ui/blocks.tsx';
import { LoadMore, restOf } from '../../ui/load-more.tsx';
import { TeamFrame } from '../../ui/team-head.tsx';
import { text } from '../strings.ts';
import type { Team } from '../trusts/account.ts';
import { accountForm, ServiceAccount } from './service-account.tsx';

const words = text.automation;

/** The machines that work in a team. */
export function AutomationPage({ name }: { name: string }) {
  const by = { name };
  const view = useView(AutomationQuery, { by });
  const pages = usePages();
  return (
    <TeamFrame
      name={name}
      tab="automation"
      view={view}
      actions={(team) => team.mayManage && <ActionBar items={[newItem(team)]} />}
    >
      {(team) => {
        const { nodes } = team.serviceAccounts;
        const more = restOf(team.serviceAccounts, (after) => pages.load(AutomationQuery, { by, after }));
        return (
          <>
            {nodes.length === 0 ? (
              <BlankCard title={words.empty} text={words.about} />
            ) : (
              <p className="soft">{words.about}</p>
            )}
            {nodes.map((account) => (
              <ServiceAccount key={account.id} account={account} team={team} />
            ))}
            {more && <LoadMore {...more} />}
          </>
        );
      }}
    </TeamFrame>
  );
}

const newItem = (team: Team) =>
  itemOf('new-account', {
    ...wordsOf(words, 'new', team.alias),
    submit: words.create,
    mutation: 'createServiceAccount',
    form: accountForm(),
    target: { team: { id: team.id } },
  });
