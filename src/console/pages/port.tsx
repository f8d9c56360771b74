import { useApplicationLive } from '../api/subscriptions.ts';
import { useView } from '../api/view.ts';
import { PortQuery } from '../documents/component.ts';
import { strings } from '../strings.ts';
import { PortAccess } from '../tree/rows.tsx';
import { Fields, Loading, Missing, PageHead, Section } from '../ui/blocks.tsx';
import { applicationCrumbs, useCrumbs } from '../ui/crumbs.ts';
import { protocolText } from '../ui/protocol.ts';
import { PortActions } from './actions/port.tsx';
import { RuleTable } from './rule-table.tsx';

const text = strings.port;

export function PortPage({ uid, number }: { uid: string; number: number }) {
  const { data, error, isLoading, retry } = useView(PortQuery, {
    by: { at: { component: { componentId: uid }, number } },
  });
  const port = data?.port;
  const application = port?.component.application;
  useCrumbs(
    ...applicationCrumbs(application),
    port && { text: port.component.name, href: `/components/${uid}` },
    port && { text: String(number), href: `/components/${uid}/ports/${number}` },
  );
  useApplicationLive(application?.id);
  if (isLoading) return <Loading />;
  if (!port) return <Missing error={error} retry={retry} />;
  const { http, tcp } = port.gatewayRules;
  return (
    <>
      <PageHead
        title={text.title(number)}
        status={
          <span className="row">
            <PortAccess port={port} />
          </span>
        }
        actions={<PortActions id={port.id} />}
      />
      <Fields
        items={[
          [text.protocol, protocolText(port.protocol)],
          [text.alias, <code key="alias">{port.alias}</code>],
          [
            text.internal,
            port.isInner ? <code key="internal">{`${port.serviceName}:${number}`}</code> : text.closed,
          ],
          [text.external, port.isOuter ? text.open : text.closed],
          [text.additional, port.additionalName && <code key="additional">{port.additionalName}</code>],
        ]}
      />
      <Section title={strings.rule.plural} count={http.totalCount + tcp.totalCount}>
        <RuleTable rules={port.gatewayRules} />
      </Section>
    </>
  );
}
