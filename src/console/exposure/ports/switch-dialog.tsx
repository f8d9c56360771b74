import type { Planned } from '../../act/action.ts';
import { dialogOf } from '../../act/dialog.tsx';
import { Plan } from '../../act/plan.tsx';
import type { FragmentOf } from '../../api/graphql.ts';
import type { OpeningParts, SwitchParts } from '../../documents/act-port.ts';
import { strings } from '../../strings.ts';
import { Addresses } from '../../ui/address.tsx';
import { Notice } from '../../ui/blocks.tsx';
import { DatabaseWarning } from '../database-warning.tsx';
import { databaseOf } from '../databases.ts';
import { LeadsNowhere } from '../nowhere.tsx';
import { text } from '../strings.ts';
import { addressOf } from './address-of.ts';

export type SwitchPort = FragmentOf<typeof SwitchParts>;

export interface SwitchDialogProps {
  port: SwitchPort;
  of: 'outer' | 'inner';
  close(): void;
}

/** Opens or closes a port, after its plan. */
export function SwitchDialog({ port, of, close }: SwitchDialogProps) {
  const { id, number, component, revision: expectedRevision } = port;
  const target = { port: { id }, expectedRevision };
  const isOuter = of === 'outer';
  const isOpen = isOuter ? port.isOuter : port.isInner;
  if (isOpen) {
    return dialogOf(close, {
      label: isOuter ? strings.act.closeOutside : strings.act.closeInside,
      title: strings.act.titles.close(component.name, number, isOuter),
      mutation: isOuter ? 'closeOuterService' : 'closeInnerService',
      target,
    });
  }
  if (!isOuter) {
    return dialogOf(close, {
      label: text.openInside,
      title: text.openTitle(component.name, number, false),
      intro: text.openInsideIntro(`${port.serviceName}:${number}`),
      mutation: 'openInnerService',
      plan: 'step',
      target,
    });
  }
  return dialogOf(close, {
    label: text.openOutside,
    title: text.openTitle(component.name, number, true),
    mutation: 'openOuterService',
    plan: 'step',
    target,
    planned: (planned) => <OpeningPlan port={port} planned={planned} />,
    result: (payload) => <Opened port={(payload as Payload).port} />,
  });
}

type Payload = FragmentOf<typeof OpeningParts>;

/** The addresses that a plan publishes. Rules that exist keep their schemes. */
function addressesIn({ plan, payload }: Planned): string[] {
  const { gatewayRules, component } = (payload as Payload).port;
  const { region } = component.application;
  return plan
    .filter(({ action }) => /\.(?:create|publish)$/.test(action))
    .flatMap(({ objectType, objectUid, name }) => {
      if (objectType === 'TcpRule') return [addressOf(name ?? '', region)];
      if (objectType !== 'HttpRule') return [];
      const rule = gatewayRules.http.nodes.find(({ uid }) => String(uid) === objectUid);
      return [rule ? rule.accessUrl : `http://${name}`];
    });
}

/** The effects of opening the port: the address that it gets, and its dangers. */
function OpeningPlan({ port, planned }: { port: SwitchPort; planned: Planned }) {
  const addresses = addressesIn(planned);
  return (
    <>
      {addresses.length > 0 && (
        <div>
          <p>{text.willBeReached(addresses.length)}</p>
          <ul>
            {addresses.map((address) => (
              <li key={address} className="mono break">
                {address}
              </li>
            ))}
          </ul>
        </div>
      )}
      <DatabaseWarning of={databaseOf(port)} />
      <Plan items={planned.plan} />
    </>
  );
}

function Opened({ port }: { port: Payload['port'] }) {
  const { http, tcp } = port.gatewayRules;
  const addresses = [...http.nodes, ...tcp.nodes]
    .filter(({ isPublished }) => isPublished)
    .map(({ accessUrl }) => accessUrl);
  return (
    <Notice tone="good">
      {text.opened}
      <Addresses of={addresses} />
      <LeadsNowhere region={port.component.application.region} />
    </Notice>
  );
}
