import { Link } from 'wouter';
import { ActionBar } from '../act/action-bar.tsx';
import type { ResultOf } from '../api/graphql.ts';
import { useApplicationLive } from '../api/subscriptions.ts';
import { useView } from '../api/view.ts';
import { RuleQuery } from '../documents/rules.ts';
import { Expiry } from '../exposure/certificates/expiry.tsx';
import { LeadsNowhere } from '../exposure/nowhere.tsx';
import { ruleItems } from '../exposure/rules/items.tsx';
import { text as own } from '../exposure/rules/strings.ts';
import { text as exposure } from '../exposure/strings.ts';
import { strings } from '../strings.ts';
import { Address } from '../ui/address.tsx';
import { Fields, Loading, Missing, PageHead } from '../ui/blocks.tsx';
import { applicationCrumbs, useCrumbs } from '../ui/crumbs.ts';
import { protocolText } from '../ui/protocol.ts';
import { Status } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';

const text = strings.rule;
type Rule = Extract<NonNullable<ResultOf<typeof RuleQuery>['node']>, { isPublished: boolean }>;

export function RulePage({ id }: { id: string }) {
  const { data, error, isLoading, retry } = useView(RuleQuery, { id });
  const rule = data?.node && 'isPublished' in data.node ? (data.node as Rule) : undefined;
  const name = rule && ('domain' in rule ? nameOfHttp(rule) : rule.endpoint);
  useCrumbs(...applicationCrumbs(rule?.application), rule && { text: name!, href: `/rules/${id}` });
  useApplicationLive(rule?.application.id);
  if (isLoading) return <Loading />;
  if (!rule) return <Missing error={error} retry={retry} />;
  const { component, number } = rule.port;
  const address = rule.accessUrl;
  return (
    <>
      <PageHead
        title={name!}
        status={<Status name={rule.isPublished ? 'PUBLISHED' : 'UNPUBLISHED'} />}
        actions={
          rule.port.mayChange && (
            <ActionBar items={ruleItems(rule, name!, `/components/${component.uid}/ports/${number}`)} />
          )
        }
      />
      <Fields
        items={[
          [
            exposure.address,
            <div key="address">
              {rule.isPublished ? <Address address={address} /> : <code>{address}</code>}
              {rule.isPublished && <LeadsNowhere region={rule.region} />}
            </div>,
          ],
          [
            text.kind,
            `${protocolText('domain' in rule ? rule.scheme : rule.port.protocol)} · ${rule.isDefault ? text.default : text.custom}`,
          ],
          [
            text.target,
            <span key="target">
              <Link href={`/components/${component.uid}`}>{component.name}</Link> :{' '}
              <Link className="mono" href={`/components/${component.uid}/ports/${number}`}>
                {number}
              </Link>
            </span>,
          ],
          [
            text.region,
            <Link key="region" href={`/regions/${encodeURIComponent(rule.region.name)}`}>
              {rule.region.alias}
            </Link>,
          ],
          ...('domain' in rule ? httpItems(rule) : [[text.mapped, rule.mappedAddress] as const]),
          [strings.common.created, <Time key="created" at={rule.createdAt} />],
        ]}
      />
    </>
  );
}

const nameOfHttp = ({ domain, path }: { domain: string; path: string }) =>
  path === '/' ? domain : `${domain}${path}`;

const httpItems = ({
  certificate,
  issuedCertificate: issued,
  weight,
  configuration,
  domainHeader,
  domainCookie,
}: Extract<Rule, { domain: string }>) =>
  [
    [
      text.certificate,
      certificate ? (
        <span key="certificate" className="row wrap">
          {certificate.name} <Expiry at={certificate.expiresAt} />
        </span>
      ) : issued ? (
        <span key="certificate" className="row wrap">
          {own.issued[issued.state]} {issued.expiresAt && <Expiry at={issued.expiresAt} />}
          {issued.reason && <span className="soft">{issued.reason}</span>}
        </span>
      ) : (
        strings.common.none
      ),
    ],
    [text.weight, weight],
    [text.conditions, [domainHeader, domainCookie].filter(Boolean).join(', ') || own.allRequests],
    [
      text.timeouts,
      text.seconds(
        configuration.connectTimeoutSeconds,
        configuration.readTimeoutSeconds,
        configuration.sendTimeoutSeconds,
      ),
    ],
    [text.bodySize, configuration.bodySizeMB === 0 ? own.noLimit : `${configuration.bodySizeMB} MB`],
  ] as const;
