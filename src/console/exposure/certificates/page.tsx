import { Link } from 'wouter';
import { ActionBar, type Item } from '../../act/action-bar.tsx';
import { itemOf } from '../../act/items.tsx';
import { Listing } from '../../act/listing.tsx';
import { wordsOf } from '../../act/words.ts';
import { usePages, useView } from '../../api/view.ts';
import { TeamCertificatesQuery } from '../../documents/certificates.ts';
import { restOf } from '../../ui/load-more.tsx';
import { TeamFrame } from '../../ui/team-head.tsx';
import { AddCertificateDialog, type Certificate, ReplaceCertificateDialog } from './dialogs.tsx';
import { Expiry } from './expiry.tsx';
import { text } from './strings.ts';

/** The certificates of a team, and the rules that use them. */
export function CertificatesPage({ name }: { name: string }) {
  const by = { name };
  const view = useView(TeamCertificatesQuery, { by });
  const pages = usePages();
  return (
    <TeamFrame
      name={name}
      tab="certificates"
      view={view}
      actions={({ id, mayAdd }) => mayAdd && <ActionBar items={[addItem(id)]} />}
    >
      {({ certificates, mayAdd }) => (
        <Listing
          texts={text}
          list={certificates}
          classes={{ names: 'mono break', issuer: 'soft small' }}
          cells={({ name, names, issuer, expiresAt, httpRules }) => ({
            name,
            names: names.join(', '),
            issuer,
            expires: <Expiry at={expiresAt} />,
            rules: <Rules of={httpRules} />,
          })}
          itemsOf={mayAdd && itemsOf}
          more={restOf(certificates, (after) => pages.load(TeamCertificatesQuery, { by, after }))}
        />
      )}
    </TeamFrame>
  );
}

const addItem = (team: string): Item => ({
  key: 'add',
  label: text.add,
  open: (close) => <AddCertificateDialog team={team} close={close} />,
});

const itemsOf = (certificate: Certificate): Item[] => [
  {
    key: `replace-${certificate.id}`,
    label: text.replace,
    open: (close) => <ReplaceCertificateDialog certificate={certificate} close={close} />,
  },
  itemOf(`delete-${certificate.id}`, {
    ...wordsOf(text, 'delete', certificate.name),
    mutation: 'deleteCertificate',
    target: { certificate: { id: certificate.id }, expectedRevision: certificate.revision },
  }),
];

interface RuleList {
  totalCount: number;
  nodes: readonly { id: string; domain: string; path: string }[];
}

function Rules({ of: { totalCount, nodes } }: { of: RuleList }) {
  if (totalCount === 0) return <span className="soft">{text.unused}</span>;
  return (
    <ul>
      {nodes.map(({ id, domain, path }) => (
        <li key={id} className="mono">
          <Link href={`/rules/${id}`}>{`${domain}${path === '/' ? '' : path}`}</Link>
        </li>
      ))}
      {totalCount > nodes.length && <li className="soft">{text.moreRules(totalCount - nodes.length)}</li>}
    </ul>
  );
}
