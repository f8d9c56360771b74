import { useQuery } from 'urql';
import { ActionBar } from '../../act/action-bar.tsx';
import { itemOf } from '../../act/items.tsx';
import { wordsOf } from '../../act/words.ts';
import { usePages } from '../../api/view.ts';
import { AccountTokensQuery } from '../../documents/automation.ts';
import type { Values } from '../../form/values.ts';
import { PartialError, Section } from '../../ui/blocks.tsx';
import { Tag } from '../../ui/status.tsx';
import { text } from '../strings.ts';
import { newTokenItem } from '../tokens/token-item.tsx';
import { TokenTable } from '../tokens/token-table.tsx';
import type { Account, Team } from '../trusts/account.ts';
import { Trusts, trustItem } from '../trusts/trusts.tsx';

const words = text.automation;

/** A service account with its tokens, and the pipelines that it trusts. */
export function ServiceAccount({ account, team }: { account: Account; team: Team }) {
  const { id, uid, name } = account;
  const role = words.roles[account.role];
  const owner = { kind: 'account' as const, uid, name, role: role.toLowerCase(), team: team.alias };
  return (
    <Section
      title={
        <>
          {name} <Tag>{role}</Tag>
        </>
      }
      actions={
        team.mayManage && (
          <ActionBar
            isSmall
            shown={3}
            items={[
              newTokenItem(`new-token ${id}`, owner),
              trustItem(account, role, team.alias),
              editItem(account),
              deleteItem(account),
            ]}
          />
        )
      }
    >
      <div className="stack">
        {team.mayManage ? (
          <Tokens id={id} name={name} unlimited={text.grants.unlimited.account(owner.role, team.alias)} />
        ) : (
          <p className="soft">{words.onlyAdmins}</p>
        )}
        <Trusts account={account} role={role} team={team.alias} mayManage={team.mayManage} />
      </div>
    </Section>
  );
}

function Tokens({ id, name, unlimited }: { id: string; name: string; unlimited: string }) {
  const [{ data, error }] = useQuery({ query: AccountTokensQuery, variables: { id } });
  const pages = usePages();
  const account = data?.node?.__typename === 'ServiceAccount' ? data.node : undefined;
  return (
    <>
      <PartialError error={error} />
      {account?.accessTokens && (
        <TokenTable
          label={words.tokensFor(name)}
          tokens={account.accessTokens}
          unlimited={unlimited}
          current={undefined}
          mayRevoke
          loadMore={(after) => pages.load(AccountTokensQuery, { id, after })}
        />
      )}
    </>
  );
}

const roles = ['VIEWER', 'DEVELOPER', 'ADMIN'] as const;
type Role = (typeof roles)[number];

/** The form for a service account, whose role is explained as it is chosen. */
export const accountForm = (current?: Account) => (values: Values) => {
  const initial = current ?? { role: 'DEVELOPER' as const };
  return {
    first: ['name', 'role'] as const,
    labels: words.fields,
    hints: { name: words.nameHint, role: text.roles.about[(values.role ?? initial.role) as Role] },
    fields: {
      name: { required: true },
      role: { options: roles.map((value) => ({ value, text: words.roles[value] })) },
    },
    initial,
  };
};

const editItem = (account: Account) =>
  itemOf(`edit ${account.id}`, {
    ...wordsOf(words, 'edit', account.name),
    submit: words.save,
    mutation: 'updateServiceAccount',
    form: accountForm(account),
    target: { serviceAccount: { id: account.id }, expectedRevision: account.revision },
  });

const deleteItem = ({ id, name, revision }: Account) =>
  itemOf(`delete ${id}`, {
    ...wordsOf(words, 'delete', name),
    mutation: 'deleteServiceAccount',
    target: { serviceAccount: { id }, expectedRevision: revision },
  });
