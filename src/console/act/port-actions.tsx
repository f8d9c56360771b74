import { useState } from 'react';
import { useQuery } from 'urql';
import type { ResultOf } from '../api/graphql.ts';
import {
  CloseInnerService,
  CloseOuterService,
  CreateHttpRule,
  CreateTcpRule,
  DeletePort,
  OpenInnerService,
  OpenOuterService,
  PortActionsQuery,
} from '../documents/act-port.ts';
import { strings } from '../strings.ts';
import { Notice } from '../ui/blocks.tsx';
import { useAct } from './act.ts';
import { ActionBar, type Item } from './action-bar.tsx';
import { ActionDialog } from './dialog.tsx';
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
      <Switches port={port} />
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

/** Opening is done at once. Closing takes addresses away, so that its plan is shown first. */
function Switches({ port }: { port: Port }) {
  const { id, number, component } = port;
  const [closing, setClosing] = useState<'outer' | 'inner'>();
  const [error, setError] = useState<string>();
  const openOuter = useAct(OpenOuterService);
  const openInner = useAct(OpenInnerService);
  const input = { port: { id } };
  const flip = async (of: 'outer' | 'inner', isOpen: boolean) => {
    setError(undefined);
    if (isOpen) return setClosing(of);
    const outcome = await (of === 'outer' ? openOuter(input) : openInner(input));
    if (outcome.failure) setError(outcome.failure.message);
  };
  return (
    <>
      {(['outer', 'inner'] as const).map((of) => {
        const isOpen = of === 'outer' ? port.isOuter : port.isInner;
        const mayFlip =
          of === 'outer'
            ? isOpen
              ? port.mayCloseOuter
              : port.mayOpenOuter
            : isOpen
              ? port.mayCloseInner
              : port.mayOpenInner;
        return (
          <button
            key={of}
            type="button"
            role="switch"
            className="switch"
            aria-checked={isOpen}
            disabled={!mayFlip}
            onClick={() => void flip(of, isOpen)}
          >
            {of === 'outer' ? text.outside : text.inside}
          </button>
        );
      })}
      {error && <Notice tone="bad">{error}</Notice>}
      {closing && (
        <ActionDialog
          close={() => setClosing(undefined)}
          action={{
            label: closing === 'outer' ? text.closeOutside : text.closeInside,
            title: text.titles.close(component.name, number, closing === 'outer'),
            isDestructive: true,
            document: closing === 'outer' ? CloseOuterService : CloseInnerService,
            plan: 'step',
            input: () => ({ ...input, expectedRevision: port.revision }),
          }}
        />
      )}
    </>
  );
}
