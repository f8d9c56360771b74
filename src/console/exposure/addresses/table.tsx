import { Link } from 'wouter';
import type { FragmentOf } from '../../api/graphql.ts';
import type { ExposedHttp, ExposedTcp } from '../../documents/exposure.ts';
import { Address } from '../../ui/address.tsx';
import { LoadMore, restOf } from '../../ui/load-more.tsx';
import { protocolText } from '../../ui/protocol.ts';
import { Tag } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { Expiry } from '../certificates/expiry.tsx';
import { whyNowhere } from '../nowhere.tsx';
import { text } from '../strings.ts';
import { isWarned, warningsOf } from './warnings.ts';

type Http = FragmentOf<typeof ExposedHttp>;
type Tcp = FragmentOf<typeof ExposedTcp>;
interface List<Node> {
  totalCount: number;
  pageInfo: { endCursor: string | null; hasNextPage: boolean };
  nodes: readonly Node[];
}

interface Props {
  http: List<Http> | undefined;
  tcp: List<Tcp> | undefined;
  isFiltered: boolean;
  onlyWarnings: boolean;
  /** Whether the addresses are of several teams. */
  hasTeams: boolean;
  /** Loads the page after one of the two lists. */
  load(after: { httpAfter: string } | { tcpAfter: string }): void;
}

/** The addresses of HTTP rules, then those of TCP rules. */
export function ExposedTable({ http, tcp, isFiltered, onlyWarnings, hasTeams, load }: Props) {
  const all = [
    ...(http?.nodes ?? []).map((rule) => ({
      ...rule,
      name: `${rule.domain}${rule.path}`,
      protocol: rule.scheme.toLowerCase(),
    })),
    ...(tcp?.nodes ?? []).map((rule) => ({
      ...rule,
      name: rule.endpoint,
      protocol: tcpProtocol(protocolText(rule.port.protocol)),
      certificate: undefined,
    })),
  ];
  const rows = onlyWarnings ? all.filter(isWarned) : all;
  const more = http && restOf(http, (after) => load({ httpAfter: after }));
  const moreTcp = tcp && restOf(tcp, (after) => load({ tcpAfter: after }));
  return (
    <>
      <Table
        label={text.label}
        columns={text.columns}
        empty={onlyWarnings ? text.noWarnings : isFiltered ? text.noMatch : text.none}
        rows={rows}
        classes={{ opened: 'soft small' }}
        cells={(rule) => cellsOf(rule, hasTeams)}
      />
      {(more ?? moreTcp) && <LoadMore {...(more ?? moreTcp)!} />}
    </>
  );
}

/** `mysql` as `tcp · mysql`: what the rule routes, and what is spoken on it. */
const tcpProtocol = (protocol: string) =>
  /^(tcp|udp|tcp\+udp)$/.test(protocol) ? protocol : `tcp · ${protocol}`;

type Rule = (Omit<Http, 'certificate'> | Tcp) & {
  name: string;
  protocol: string;
  certificate?: Http['certificate'];
};

function cellsOf(rule: Rule, hasTeams: boolean) {
  const { id, accessUrl, protocol, certificate, name, region, port, publication } = rule;
  const nowhere = whyNowhere(region, text.nowhereShort);
  return {
    address: (
      <>
        <Address address={accessUrl} />
        {nowhere && <p className="soft small">{nowhere}</p>}
      </>
    ),
    protocol: (
      <span className="row wrap">
        <span className="soft">{protocol}</span>
        {certificate && (
          <span className="soft small">
            {certificate.name} <Expiry at={certificate.expiresAt} />
          </span>
        )}
        {warningsOf(rule).map((warning) => (
          <Tag key={warning.text} tone={warning.tone}>
            {warning.text}
          </Tag>
        ))}
      </span>
    ),
    component: <Place port={port} hasTeams={hasTeams} />,
    opened: publication && <Opened by={publication} />,
    rule: (
      <Link className="row-link" href={`/rules/${id}`} aria-label={text.detailsOf(name)}>
        {text.details}
      </Link>
    ),
  };
}

/** The component and the port, with where they are. */
function Place({ port: { number, component }, hasTeams }: { port: Http['port']; hasTeams: boolean }) {
  const { application } = component;
  const { team } = application;
  return (
    <div className="links">
      <div>
        <Link href={`/components/${component.uid}`}>{component.name}</Link>
        <span className="soft"> : </span>
        <Link className="mono" href={`/components/${component.uid}/ports/${number}`}>
          {number}
        </Link>
      </div>
      <div className="soft small">
        {hasTeams && (
          <>
            <Link href={`/teams/${encodeURIComponent(team.name)}`}>{team.alias}</Link>
            {' / '}
          </>
        )}
        <Link href={`/applications/${application.uid}`}>{application.name}</Link>
      </div>
    </div>
  );
}

function Opened({ by: { at, actor } }: { by: NonNullable<Http['publication']> }) {
  const name = actor && ('nickName' in actor ? actor.nickName : actor.name);
  return (
    <>
      {name && <>{name}, </>}
      <Time at={at} />
    </>
  );
}
