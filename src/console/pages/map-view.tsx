import { lazy, Suspense, useState } from 'react';
import { Link } from 'wouter';
import { lazyDialog } from '../act/lazy-dialog.tsx';
import { type AddressedRegion, LeadsNowhere } from '../exposure/nowhere.tsx';
import { graphOf, type MapApplication, type MapEdge } from '../map/graph.ts';
import { strings } from '../strings.ts';
import { Address } from '../ui/address.tsx';
import { BlankCard, Loading, Notice } from '../ui/blocks.tsx';
import { Button } from '../ui/controls.tsx';
import { protocolText } from '../ui/protocol.ts';
import { Status } from '../ui/status.tsx';
import { ChangeImage, ComponentActions, EditVariables } from './actions/component.tsx';
import { PortActions } from './actions/port.tsx';

const DrawnDependencyDialog = lazyDialog(
  async () => (await import('../application/component/dependency-dialog.tsx')).DrawnDependencyDialog,
);
const ApplicationMap = lazy(() => import('../map/map.tsx'));
const text = strings.map;

/** The map of an application, with what can be done with the component that is chosen on it. */
export function MapView({ application }: { application: MapApplication }) {
  const [selected, select] = useState<string>();
  const [drawn, draw] = useState<{ source: string; target: string }>();
  const {
    components,
    gatewayRules: { http, tcp },
  } = application;
  if (components.totalCount === 0) {
    return <BlankCard title={text.empty} text={text.emptyText} />;
  }
  const edges = graphOf(application, text.outside).edges;
  const componentOf = (id: string | undefined) => components.nodes.find((each) => each.id === id);
  const component = componentOf(selected);
  const [from, to] = [componentOf(drawn?.source), componentOf(drawn?.target)];
  return (
    <div className={component ? 'map-view split' : 'map-view'}>
      <div>
        {components.pageInfo.hasNextPage && (
          <p role="status" className="small soft">
            {text.loadingRest(components.nodes.length, components.totalCount)}
          </p>
        )}
        {(http.pageInfo.hasNextPage || tcp.pageInfo.hasNextPage) && (
          <Notice tone="warn">{text.tooManyRules}</Notice>
        )}
        <Suspense fallback={<Loading rows={8} />}>
          <ApplicationMap
            application={application}
            selected={selected}
            select={select}
            connect={(source, target) => draw({ source, target })}
          />
        </Suspense>
      </div>
      {from && to && <DrawnDependencyDialog component={from} dependency={to} close={() => draw(undefined)} />}
      {component && (
        <Inspector
          key={component.id}
          component={component}
          rules={edges.filter(({ kind, target }) => kind === 'rule' && target === component.id)}
          region={application.region}
          close={() => select(undefined)}
        />
      )}
    </div>
  );
}

interface InspectorProps {
  component: MapApplication['components']['nodes'][number];
  rules: readonly MapEdge[];
  region: AddressedRegion;
  close(): void;
}

/** The selection on the map. */
function Inspector({ component, rules, region, close }: InspectorProps) {
  const { uid, name, state, image, replicas, ports } = component;
  return (
    <aside className="card inspector" aria-label={name}>
      <header className="row">
        <h2 className="truncate">{name}</h2>
        <Status name={state ?? 'UNKNOWN'} />
        <div className="spacer" />
        <Button look="quiet small" onClick={close}>
          {strings.common.close}
        </Button>
      </header>
      <dl className="changes">
        <div>
          <dt>{text.image}</dt>
          <dd className="row wrap">
            <code>{image}</code> <ChangeImage uid={uid} />
          </dd>
        </div>
        <div>
          <dt>{text.replicas}</dt>
          <dd>{replicas}</dd>
        </div>
      </dl>
      {component.hasUndeployedChanges && <Notice tone="warn">{text.undeployed}</Notice>}
      <div className="row wrap">
        <ComponentActions uid={uid} />
        <EditVariables uid={uid} />
      </div>
      {ports.nodes.length > 0 && (
        <section aria-label={text.ports}>
          <h3>{text.ports}</h3>
          <ul className="inspector-ports">
            {ports.nodes.map((port) => (
              <li key={port.id}>
                <span>
                  <span className="mono">{port.number}</span> {protocolText(port.protocol)}
                </span>
                <PortActions id={port.id} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {rules.length > 0 && (
        <section aria-label={text.leadsHere}>
          <h3>{text.leadsHere}</h3>
          <ul className="small">
            {rules.map(({ id, label, isPublished }) => (
              <li key={id}>
                {isPublished && label ? <Address address={label} /> : <code>{label}</code>}
                {!isPublished && <span className="soft"> {text.notPublished}</span>}
              </li>
            ))}
          </ul>
          <LeadsNowhere region={region} />
        </section>
      )}
      <Link className="small" href={`/components/${uid}`}>
        {text.open}
      </Link>
    </aside>
  );
}
