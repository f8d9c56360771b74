import { Link } from 'wouter';
import type { FragmentOf } from '../api/graphql.ts';
import type { RuleLists } from '../documents/rules.ts';
import { strings } from '../strings.ts';
import { Table } from '../ui/blocks.tsx';
import { Status, Tag } from '../ui/status.tsx';

const text = strings.rule;

/** HTTP and TCP rules in one table: the address, whether it is published, and where it leads. */
export function RuleTable({ rules: { http, tcp } }: { rules: FragmentOf<typeof RuleLists> }) {
  const rows = [
    ...http.nodes.map((rule) => ({
      ...rule,
      address: `${rule.domain}${rule.path}`,
      protocol: rule.certificate ? 'https' : 'http',
    })),
    ...tcp.nodes.map((rule) => ({ ...rule, address: rule.endpoint, protocol: 'tcp' })),
  ];
  return (
    <Table label={text.plural} columns={Object.values(text.columns)} empty={text.none}>
      {rows.map(({ id, address, protocol, isDefault, isPublished, port }) => (
        <tr key={id}>
          <td>
            <Link href={`/rules/${id}`} className="mono">
              {address}
            </Link>{' '}
            {isDefault && <Tag>{text.default}</Tag>}
          </td>
          <td className="soft">{protocol}</td>
          <td>
            <Status name={isPublished ? 'PUBLISHED' : 'UNPUBLISHED'} />
          </td>
          <td>
            <Link href={`/components/${port.component.uid}`}>{port.component.name}</Link>
            <span className="soft"> : </span>
            <Link className="mono" href={`/components/${port.component.uid}/ports/${port.number}`}>
              {port.number}
            </Link>
          </td>
        </tr>
      ))}
    </Table>
  );
}
