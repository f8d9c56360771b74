import { ActionTable } from '../../act/action-table.tsx';
import { itemOf } from '../../act/items.tsx';
import { lazyItem } from '../../act/lazy-item.tsx';
import { wordsOf } from '../../act/words.ts';
import { Example } from '../../ui/example.tsx';
import { Day } from '../../ui/time.tsx';
import { grantOf } from '../access/grants.ts';
import { Grants, shortOf } from '../access/grants-view.tsx';
import { text } from '../strings.ts';
import { exchangeExample } from '../tokens/examples.ts';
import type { Account } from './account.ts';

const words = text.automation;

const addItem = lazyItem(words.trust, async () => (await import('./trust-dialog.tsx')).TrustDialog);

export const trustItem = (account: Account, role: string, team: string) =>
  addItem(`trust ${account.id}`, { account, role: role.toLowerCase(), team });

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
      <ActionTable
        label={words.trustsOf(name)}
        columns={words.trustColumns}
        empty={words.noTrusts}
        rows={trusts.nodes}
        classes={{ issuer: 'break', expires: 'soft' }}
        cells={(trust) => {
          const grants = trust.grants?.map(grantOf) ?? null;
          return {
            issuer: (
              <>
                {trust.issuer}
                <div className="soft small">{words.audience(trust.audience)}</div>
              </>
            ),
            claims: trust.claims.map((claim) => (
              <div key={claim.name} className="break small">
                <code>{claim.name}</code> = <code>{claim.pattern}</code>
              </div>
            )),
            may: (
              <details className="may">
                <summary>{shortOf(grants, unlimited)}</summary>
                <Grants grants={grants} unlimited={unlimited} />
              </details>
            ),
            expires: trust.expiresAt ? <Day at={trust.expiresAt} /> : text.tokens.never,
          };
        }}
        itemsOf={mayManage && ((trust) => [removeItem(trust)])}
      />
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
