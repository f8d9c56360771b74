import { useQuery } from 'urql';
import type { ResultOf } from '../api/graphql.ts';
import { CreateHttpRule, CreateTcpRule, DeletePort, PortActionsQuery } from '../documents/act-port.ts';
import { PortSwitches } from '../exposure/switches.tsx';
import { strings } from '../strings.ts';
import { ActionBar, type Item } from './action-bar.tsx';
import { itemOf, present } from './items.tsx';

const text = strings.act;

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

function itemsOf(port: Port): Item[] {
  const { id, number, revision: expectedRevision, component } = port;
  const target = {
    application: { appId: component.application.appId },
    component: { componentId: component.uid },
    portNumber: number,
    expectedPortRevision: expectedRevision,
  };
  return present(
    port.mayAddHttpRule &&
      itemOf('http', {
        label: text.addHttpRule,
        title: text.titles.addRule(component.name, number),
        document: CreateHttpRule,
        fields: () => [
          { name: 'domain', label: text.fields.domain, hint: text.hints.domain, required: true },
          { name: 'path', label: text.fields.path, value: '/', required: true },
          ...(port.isOuter
            ? []
            : [{ name: 'opensPort', label: text.fields.opensPort, kind: 'checkbox' as const, value: true }]),
        ],
        input: (values) => ({
          ...target,
          domain: String(values.domain),
          path: String(values.path),
          opensPort: port.isOuter || values.opensPort === true,
        }),
      }),
    port.mayAddTcpRule &&
      itemOf('tcp', {
        label: text.addTcpRule,
        title: text.titles.addRule(component.name, number),
        document: CreateTcpRule,
        fields: () => [
          { name: 'endpoint', label: text.fields.endpoint, hint: text.hints.endpoint, required: true },
        ],
        input: (values) => ({ ...target, endpoint: String(values.endpoint) }),
      }),
    port.mayDelete &&
      itemOf('delete', {
        label: text.deletePort,
        title: text.titles.deletePort(component.name, number),
        isDestructive: true,
        document: DeletePort,
        plan: 'step',
        input: () => ({ port: { id }, expectedRevision }),
      }),
  );
}
