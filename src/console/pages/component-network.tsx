import { Link } from 'wouter';
import { ActionBar, type Item } from '../act/action-bar.tsx';
import { itemOf, present } from '../act/items.tsx';
import { lazyItem } from '../act/lazy-item.tsx';
import { Listing } from '../act/listing.tsx';
import type { ResultOf } from '../api/graphql.ts';
import { useView } from '../api/view.ts';
import { text as texts } from '../application/strings.ts';
import { ComponentNetworkQuery } from '../documents/component.ts';
import { PortSwitches } from '../exposure/ports/switches.tsx';
import { text as ruleTexts } from '../exposure/rules/strings.ts';
import { strings } from '../strings.ts';
import { Fields, Section } from '../ui/blocks.tsx';
import { protocolText } from '../ui/protocol.ts';
import { Status } from '../ui/status.tsx';
import { addPortItem, addRuleItems } from './actions/port.tsx';
import { ComponentFrame } from './component-head.tsx';
import { RuleTable } from './rule-table.tsx';

const text = strings.component;
type Component = NonNullable<ResultOf<typeof ComponentNetworkQuery>['component']>;

const addDependencyItem = lazyItem(
  texts.addDependency,
  async () => (await import('../application/component/dependency-dialog.tsx')).DependencyDialog,
);

/** Where a component can be reached, and what it reaches. */
export function ComponentNetworkPage({ uid }: { uid: string }) {
  const view = useView(ComponentNetworkQuery, { by: { componentId: uid } });
  return (
    <ComponentFrame uid={uid} tab="network" view={view}>
      {(component) => (
        <>
          <Fields
            items={[
              [text.serviceName, component.serviceName && <code>{component.serviceName}</code>],
              [text.alias, <code key="alias">{component.alias}</code>],
              [text.dependents, <Components key="dependents" of={component.dependents.nodes} />],
            ]}
          />
          <Ports component={component} />
          <Rules component={component} />
          <Dependencies component={component} />
        </>
      )}
    </ComponentFrame>
  );
}

function Ports({ component: { uid, name, ports, mayAddPort } }: { component: Component }) {
  return (
    <Listing
      texts={{ title: text.ports, columns: text.portColumns, none: text.noPorts }}
      list={ports}
      add={mayAddPort && [addPortItem(uid, name)]}
      classes={{ alias: 'mono soft' }}
      cells={(port) => ({
        number: (
          <Link className="mono row-link" href={`/components/${uid}/ports/${port.number}`}>
            {port.number}
          </Link>
        ),
        protocol: protocolText(port.protocol),
        alias: port.alias,
        access: (
          <span className="port-actions">
            <PortSwitches port={port} />
          </span>
        ),
      })}
    />
  );
}

function Rules({ component: { gatewayRules, ports } }: { component: Component }) {
  const count = gatewayRules.http.totalCount + gatewayRules.tcp.totalCount;
  return (
    <Section
      title={text.rules}
      count={count}
      empty={count === 0 && strings.rule.none}
      actions={<ActionBar isSmall items={ports.nodes.flatMap(addRuleOf)} />}
    >
      {count > 0 && <RuleTable rules={gatewayRules} />}
    </Section>
  );
}

/** Adds a rule of the kind that a port of this protocol usually has. */
function addRuleOf(port: Component['ports']['nodes'][number]): Item[] {
  const { http, tcp } = addRuleItems(port);
  const item = (port.protocol === 'HTTP' ? http : tcp) ?? http ?? tcp;
  return item ? [{ ...item, label: ruleTexts.addTo(port.number) }] : [];
}

export function Dependencies({ component }: { component: Component }) {
  const { id, uid, name, revision, dependencies, mayAddDependency, mayDeleteDependency } = component;
  const known = dependencies.nodes.map((each) => each.id);
  const props = { appId: component.application.uid, component: { id, name }, known };
  const items = present(mayAddDependency && addDependencyItem(`add-dependency ${uid}`, props));
  return (
    <Listing
      texts={{ title: text.dependencies, columns: texts.dependency.columns, none: texts.dependency.none }}
      list={dependencies}
      add={items}
      cells={(other) => ({
        name: (
          <Link className="row-link" href={`/components/${other.uid}`}>
            {other.name}
          </Link>
        ),
        status: <Status name={other.desiredState} />,
      })}
      itemsOf={
        mayDeleteDependency &&
        ((other) => [
          itemOf(`remove-dependency ${other.id}`, {
            label: texts.remove,
            title: texts.dependency.removeTitle(name, other.name),
            intro: texts.dependency.removeIntro(name, other.name),
            mutation: 'deleteDependency',
            target: { component: { id }, dependency: { id: other.id }, expectedRevision: revision },
          }),
        ])
      }
    />
  );
}

function Components({ of }: { of: readonly { id: string; uid: string; name: string }[] }) {
  if (of.length === 0) return <span className="soft">{strings.common.none}</span>;
  return (
    <span className="row wrap">
      {of.map(({ id, uid, name }) => (
        <Link key={id} href={`/components/${uid}`}>
          {name}
        </Link>
      ))}
    </span>
  );
}
