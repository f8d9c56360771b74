import { Link } from 'wouter';
import type { FragmentOf } from '../api/graphql.ts';
import type { RuleLists } from '../documents/rules.ts';
import { Expiry } from '../exposure/certificates/expiry.tsx';
import { LeadsNowhere } from '../exposure/nowhere.tsx';
import { text as exposure } from '../exposure/strings.ts';
import { strings } from '../strings.ts';
import { Address } from '../ui/address.tsx';
import { protocolText } from '../ui/protocol.ts';
import { Status, Tag } from '../ui/status.tsx';
import { Table } from '../ui/table.tsx';

const text = strings.rule;

/** HTTP and TCP rules in one table: the address, whether it is published, and where it leads. */
export function RuleTable({ rules: { http, tcp } }: { rules: FragmentOf<typeof RuleLists> }) {
  const rows = [
    ...http.nodes.map((rule) => ({
      ...rule,
      name: `${rule.domain}${rule.path}`,
      protocol: rule.scheme.toLowerCase(),
    })),
    ...tcp.nodes.map((rule) => ({
      ...rule,
      name: rule.endpoint,
      protocol: protocolText(rule.port.protocol),
      certificate: null,
    })),
  ];
  return (
    <>
      <Table
        label={text.plural}
        columns={{ ...text.columns, details: exposure.rule }}
        empty={text.none}
        rows={rows}
        cells={({ id, accessUrl: address, name, protocol, certificate, isDefault, isPublished, port }) => ({
          address: (
            <span className="row wrap">
              {isPublished ? <Address address={address} /> : <span className="mono">{address}</span>}
              {isDefault && <Tag>{text.default}</Tag>}
            </span>
          ),
          protocol: (
            <span className="row wrap">
              <span className="soft">{protocol}</span>
              {certificate && <Expiry at={certificate.expiresAt} />}
            </span>
          ),
          status: <Status name={isPublished ? 'PUBLISHED' : 'UNPUBLISHED'} />,
          target: (
            <>
              <Link href={`/components/${port.component.uid}`}>{port.component.name}</Link>
              <span className="soft"> : </span>
              <Link className="mono" href={`/components/${port.component.uid}/ports/${port.number}`}>
                {port.number}
              </Link>
            </>
          ),
          details: (
            <Link className="row-link" href={`/rules/${id}`} aria-label={exposure.detailsOf(name)}>
              {exposure.details}
            </Link>
          ),
        })}
      />
      {rows.some(({ isPublished }) => isPublished) && <LeadsNowhere region={rows[0]?.region} />}
    </>
  );
}
