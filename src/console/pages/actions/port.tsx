import { useQuery } from 'urql';
import { ActionBar, type Item } from '../../act/action-bar.tsx';
import { itemOf, present } from '../../act/items.tsx';
import type { FragmentOf, ResultOf } from '../../api/graphql.ts';
import { PortActionsQuery, type RulePort } from '../../documents/act-port.ts';
import { databaseOf } from '../../exposure/databases.ts';
import { PortSwitches } from '../../exposure/ports/switches.tsx';
import { addHttpRule, addTcpRule } from '../../exposure/rules/items.tsx';
import { text as ruleText } from '../../exposure/rules/strings.ts';
import { strings } from '../../strings.ts';
import { protocolText } from '../../ui/protocol.ts';

const text = strings.act;
const portText = ruleText.port;

const protocolOptions = ['HTTP', 'TCP', 'GRPC', 'MYSQL', 'UDP', 'TCP_UDP'].map((value) => ({
  value,
  text: protocolText(value),
}));

type Port = NonNullable<ResultOf<typeof PortActionsQuery>['port']>;

/** The two switches of a port, and what else the caller may do with it. `id` is its global id. */
export function PortActions({ id }: { id: string }) {
  const [{ data }] = useQuery({ query: PortActionsQuery, variables: { by: { id } } });
  const port = data?.port;
  if (!port) return null;
  return (
    <div className="port-actions">
      <PortSwitches port={port} />
      <ActionBar items={itemsOf(port)} shown={1} />
    </div>
  );
}

/** What adds rules for a port, as far as the caller may. */
export function addRuleItems(port: FragmentOf<typeof RulePort>) {
  const { id, number, isOuter, revision: expectedPortRevision, component } = port;
  const target = {
    title: ruleText.addTitle(number, component.name),
    isOuter,
    database: isOuter ? undefined : databaseOf(port),
    team: component.application.team.id,
    input: {
      application: { appId: component.application.uid },
      component: { componentId: component.uid },
      portNumber: number,
      expectedPortRevision,
    },
  };
  return {
    http: port.mayAddHttpRule ? addHttpRule(`http-${id}`, target) : undefined,
    tcp: port.mayAddTcpRule ? addTcpRule(`tcp-${id}`, target) : undefined,
  };
}

export const addPortItem = (uid: string, name: string) =>
  itemOf(`add-port ${uid}`, {
    label: text.addPort,
    title: text.titles.addPort(name),
    mutation: 'addPort',
    form: {
      first: ['number', 'protocol', 'isInner'],
      labels: { number: text.fields.number, isInner: text.fields.isInner },
      hints: {},
      fields: {
        number: { min: 1, max: 65_535, required: true },
        protocol: { options: protocolOptions },
      },
      initial: { protocol: 'HTTP', isInner: true },
    },
    target: { component: { componentId: uid } },
  });

function itemsOf(port: Port): Item[] {
  const { id, number, revision: expectedRevision, component } = port;
  const input = { port: { id }, expectedRevision };
  const { http, tcp } = addRuleItems(port);
  return present(
    http,
    tcp,
    port.mayChangeAlias &&
      itemOf(`alias-${id}`, {
        label: portText.changeAlias,
        title: portText.aliasTitle(number, component.name),
        intro: portText.aliasIntro,
        mutation: 'changePortAlias',
        plan: 'live',
        form: {
          first: ['alias', 'serviceName'],
          labels: { serviceName: portText.serviceName },
          hints: {},
          current: port,
        },
        target: input,
      }),
    port.mayChangeProtocol &&
      itemOf(`protocol-${id}`, {
        label: portText.changeProtocol,
        title: portText.protocolTitle(number, component.name),
        mutation: 'changePortProtocol',
        plan: 'live',
        form: {
          first: ['protocol'],
          hints: {},
          fields: { protocol: { options: protocolOptions } },
          initial: port,
        },
        target: input,
      }),
    port.mayDelete &&
      itemOf(`delete-${id}`, {
        title: text.titles.deletePort(component.name, number),
        mutation: 'deletePort',
        target: input,
      }),
  );
}
