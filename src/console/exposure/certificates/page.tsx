import { Link } from 'wouter';
import { ActionBar, type Item } from '../../act/action-bar.tsx';
import { itemOf } from '../../act/items.tsx';
import { wordsOf } from '../../act/words.ts';
import { usePages, useView } from '../../api/view.ts';
import { TeamCertificatesQuery } from '../../documents/certificates.ts';
import { Loading, Missing, Table } from '../../ui/blocks.tsx';
import { LoadMore, restOf } from '../../ui/load-more.tsx';
import { TeamHead } from '../../ui/team-head.tsx';
import { AddCertificateDialog, type Certificate, ReplaceCertificateDialog } from './dialogs.tsx';
import { Expiry } from './expiry.tsx';
import { text } from './strings.ts';

/** The certificates of a team, and the rules that use them. */
export function CertificatesPage({ name }: { name: string }) {
  const variables = { team: { name } };
  const { data, error, isLoading, retry } = useView(TeamCertificatesQuery, variables);
  const pages = usePages();
  const team = data?.team;
  if (isLoading) return <Loading />;
  if (!team) return <Missing error={error} retry={retry} />;
  const { certificates, mayAdd } = team;
  const more = restOf(certificates, (after) => pages.load(TeamCertificatesQuery, { ...variables, after }));
  const add: Item = {
    key: 'add',
    label: text.add,
    open: (close) => <AddCertificateDialog team={team.id} close={close} />,
  };
  return (
    <>
      <TeamHead
        name={name}
        alias={team.alias}
        tab="certificates"
        actions={mayAdd && <ActionBar items={[add]} />}
      />
      <Table
        label={text.label}
        columns={[...Object.values(text.columns), ...(mayAdd ? [text.actions] : [])]}
        empty={text.none}
      >
        {certificates.nodes.map((certificate) => (
          <tr key={certificate.id}>
            <td>{certificate.name}</td>
            <td className="mono break">{certificate.names.join(', ')}</td>
            <td className="soft small">{certificate.issuer}</td>
            <td>
              <Expiry at={certificate.expiresAt} />
            </td>
            <td>
              <Rules of={certificate.httpRules} />
            </td>
            {mayAdd && (
              <td>
                <span className="row">
                  <ActionBar items={itemsOf(certificate)} />
                </span>
              </td>
            )}
          </tr>
        ))}
      </Table>
      {more && <LoadMore {...more} />}
    </>
  );
}

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
