import { ActionBar, type Item } from '../../act/action-bar.tsx';
import { itemOf } from '../../act/items.tsx';
import { lazyDialog } from '../../act/lazy-dialog.tsx';
import { wordsOf } from '../../act/words.ts';
import { Table } from '../../ui/blocks.tsx';
import { Example } from '../../ui/example.tsx';
import { Day } from '../../ui/time.tsx';
import { grantOf } from '../access/grants.ts';
import { Grants, shortOf } from '../access/grants-view.tsx';
import { text } from '../strings.ts';
import { exchangeExample } from '../tokens/examples.ts';
import type { Account } from './account.ts';

const words = text.automation;

const TrustDialog = lazyDialog(async () => (await import('./trust-dialog.tsx')).TrustDialog);

export const trustItem = (account: Account, role: string, team: string): Item => ({
  key: `trust ${account.id}`,
  label: words.trust,
  open: (close) => (
    <TrustDialog
      account={account}
      role={role.toLowerCase()}
      team={team}
      draft={`trust ${account.id}`}
      close={close}
    />
  ),
});

interface Props {
  account: Account;
  role: string;
  team: string;
  mayManage: boolean;
}

/** The pipelines that get tokens of a service account without a stored secret. */
export function Trusts({ account: { uid, name, trusts }, role, team, mayManage }: Props) {
  if (trusts.nodes.length === 0) return null;
  const unlimited = text.grants.unlimited.account(role.toLowerCase(), team);
  return (
    <>
      <h3>{words.trusts}</h3>
      <Table label={words.trustsOf(name)} columns={Object.values(words.trustColumns)} empty={words.noTrusts}>
        {trusts.nodes.map((trust) => {
          const grants = trust.grants?.map(grantOf) ?? null;
          return (
            <tr key={trust.id}>
              <td className="break">
                {trust.issuer}
                <div className="soft small">{words.audience(trust.audience)}</div>
              </td>
              <td>
                {trust.claims.map((claim) => (
                  <div key={claim.name} className="break small">
                    <code>{claim.name}</code> = <code>{claim.pattern}</code>
                  </div>
                ))}
              </td>
              <td>
                <details className="may">
                  <summary>{shortOf(grants, unlimited)}</summary>
                  <Grants grants={grants} unlimited={unlimited} />
                </details>
              </td>
              <td className="soft">{trust.expiresAt ? <Day at={trust.expiresAt} /> : text.tokens.never}</td>
              <td className="row-actions">
                {mayManage && <ActionBar isSmall items={[removeItem(trust)]} />}
              </td>
            </tr>
          );
        })}
      </Table>
      <details className="more-fields">
        <summary>{words.example}</summary>
        <p className="soft">{words.exampleText}</p>
        <Example title={words.commands} value={exchangeExample(uid, location.origin)} />
      </details>
    </>
  );
}

const removeItem = ({ id, issuer }: Account['trusts']['nodes'][number]) =>
  itemOf(`untrust ${id}`, {
    ...wordsOf(words, 'removeTrust', issuer),
    mutation: 'removeTrust',
    target: { trust: { id } },
  });
