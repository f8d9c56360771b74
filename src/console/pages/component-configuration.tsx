import { ActionBar } from '../act/action-bar.tsx';
import { present } from '../act/items.tsx';
import { lazyItem } from '../act/lazy-item.tsx';
import type { ResultOf } from '../api/graphql.ts';
import { useView } from '../api/view.ts';
import { autoscalingItem, removeAutoscalingItem } from '../application/component/autoscaling/items.ts';
import { autoscalingText, text as scaling } from '../application/component/autoscaling/strings.ts';
import { placementItem } from '../application/component/placement/item.ts';
import { placementText, text as placing } from '../application/component/placement/strings.ts';
import { probeItem } from '../application/component/probe-item.ts';
import { text as texts } from '../application/strings.ts';
import { DeployHooks } from '../deploy-hooks/section.tsx';
import { ComponentConfigurationQuery } from '../documents/component.ts';
import { strings } from '../strings.ts';
import { Fields, Section } from '../ui/blocks.tsx';
import { EditVariables } from './actions/component.tsx';
import { ComponentFrame } from './component-head.tsx';
import { Probes } from './probe-table.tsx';
import { VariableTable } from './variable-table.tsx';
import { Volumes } from './volumes.tsx';

const text = strings.component;
type Component = NonNullable<ResultOf<typeof ComponentConfigurationQuery>['component']>;

const editItem = lazyItem(
  texts.edit,
  async () => (await import('../application/component/edit-component.tsx')).EditComponentDialog,
);

/** What a deploy gives the instances of a component. */
export function ComponentConfigurationPage({ uid }: { uid: string }) {
  const view = useView(ComponentConfigurationQuery, { by: { componentId: uid } });
  return (
    <ComponentFrame uid={uid} tab="configuration" view={view}>
      {(component) => (
        <>
          <Settings component={component} />
          <Variables component={component} />
          <Probes
            component={component}
            actions={component.maySetProbes && <ActionBar isSmall items={[probesOf(component)]} />}
          />
          <Volumes component={component} />
          <DeployHooks component={component} />
        </>
      )}
    </ComponentFrame>
  );
}

const Variables = ({ component: { uid, variables } }: { component: Component }) => (
  <Section
    title={text.variables}
    count={variables.totalCount}
    empty={variables.nodes.length === 0 && text.noVariables}
    actions={<EditVariables uid={uid} />}
  >
    {variables.nodes.length > 0 && <VariableTable variables={variables.nodes} />}
  </Section>
);

const inputOf = ({ uid, revision }: Component) => ({
  component: { componentId: uid },
  expectedRevision: revision,
});

const probesOf = (component: Component) =>
  probeItem({
    name: component.name,
    input: inputOf(component),
    probes: component.probes,
    port: component.ports.nodes[0]?.number,
  });

function Settings({ component }: { component: Component }) {
  const { uid, autoscaling, placement, entrypoint, command, preDeployCommand } = component;
  const input = inputOf(component);
  const items = present(
    component.mayUpdate && editItem(`edit ${uid}`, { uid }),
    component.maySetAutoscaling && autoscalingItem({ ...component, input }),
    component.maySetPlacement && placementItem({ ...component, input }),
    component.mayRemoveAutoscaling && removeAutoscalingItem({ ...component, input }),
  );
  return (
    <Section title={text.settings} actions={<ActionBar isSmall shown={3} items={items} />}>
      <Fields
        items={[
          [text.resources, text.perInstance(component.cpuMillicores, component.memoryMiB)],
          [text.limits, limitsOf(component)],
          [scaling.label, autoscaling ? autoscalingText(autoscaling) : strings.common.none],
          [placing.label, placementText(placement) || placing.anywhere],
          [text.entrypoint, entrypoint && <code>{entrypoint}</code>],
          [text.command, command && <code>{command}</code>],
          [text.preDeployCommand, preDeployCommand && <code>{preDeployCommand.join(' ')}</code>],
        ]}
      />
    </Section>
  );
}

/** Null if they are as large as what is requested. */
function limitsOf({ cpuMillicores, memoryMiB, cpuLimitMillicores, memoryLimitMiB }: Component) {
  const isSame = cpuLimitMillicores === cpuMillicores && memoryLimitMiB === memoryMiB;
  return isSame ? null : text.atMost(cpuLimitMillicores, memoryLimitMiB);
}
