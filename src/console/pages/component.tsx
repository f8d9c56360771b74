import { Link } from 'wouter';
import { Listing } from '../act/listing.tsx';
import type { ResultOf } from '../api/graphql.ts';
import { useApplicationLive } from '../api/subscriptions.ts';
import { useView } from '../api/view.ts';
import { text as scaling } from '../application/component/autoscaling/strings.ts';
import { text as placing } from '../application/component/placement/strings.ts';
import { DeployHooks } from '../deploy-hooks/section.tsx';
import { ComponentQuery } from '../documents/component.ts';
import { LeadsNowhere } from '../exposure/nowhere.tsx';
import { PortSwitches } from '../exposure/ports/switches.tsx';
import { Logs } from '../logs/logs.tsx';
import { text as releaseTexts } from '../releases/strings.ts';
import { Schedules } from '../runs/schedules.tsx';
import { Runs } from '../runs/section.tsx';
import { strings } from '../strings.ts';
import { Addresses } from '../ui/address.tsx';
import { Fields, Loading, Missing, PageHead, PartialError, Section } from '../ui/blocks.tsx';
import { applicationCrumbs, useCrumbs } from '../ui/crumbs.ts';
import { Digest } from '../ui/digest.tsx';
import { protocolText } from '../ui/protocol.ts';
import { Status, Tag } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { text as usageTexts } from '../usage/strings.ts';
import { ComponentActions } from './actions/component.tsx';
import { Dependencies, Volumes } from './component-parts.tsx';
import { Instances } from './instances.tsx';
import { JobTable } from './job-table.tsx';
import { MovedImage } from './moved-image.tsx';
import { Probes } from './probe-table.tsx';
import { Problem } from './problem.tsx';
import { RuleTable } from './rule-table.tsx';
import { VariableTable } from './variable-table.tsx';

const text = strings.component;
type Component = NonNullable<ResultOf<typeof ComponentQuery>['component']>;

export function ComponentPage({ uid }: { uid: string }) {
  const { data, error, isLoading, retry } = useView(ComponentQuery, { by: { componentId: uid } });
  const component = data?.component;
  const application = component?.application;
  useCrumbs(
    ...applicationCrumbs(application),
    component && { text: component.name, href: `/components/${uid}` },
  );
  useApplicationLive(application?.id);
  if (isLoading) return <Loading />;
  if (!component) return <Missing error={error} retry={retry} />;
  return (
    <>
      <PageHead
        title={component.name}
        status={
          <>
            <Status name={component.state ?? component.desiredState} />
            {component.hasUndeployedChanges && <Tag tone="warn">{strings.tree.undeployed}</Tag>}
            {component.isUpgradable && <Tag tone="busy">{strings.tree.upgradable}</Tag>}
          </>
        }
        meta={
          <>
            <Link href={`/regions/${encodeURIComponent(component.application.region.name)}`}>
              {component.application.region.alias}
            </Link>
            <span>
              {strings.common.changed} <Time at={component.updatedAt} />
            </span>
            <Link href={`/components/${uid}/releases`}>{releaseTexts.link}</Link>
            <Link href={`/components/${uid}/usage`}>{usageTexts.link}</Link>
            <Link href={`/components/${uid}/record`}>{strings.record.link}</Link>
          </>
        }
        actions={<ComponentActions uid={uid} leave={`/applications/${component.application.uid}`} />}
      />
      <PartialError error={error} />
      <Problem uid={uid} problem={component.problem} />
      <MovedImage component={component} />
      {component.description && <p className="soft">{component.description}</p>}
      <Facts component={component} />
      <Instances uid={uid} name={component.name} />
      <Probes component={component} />
      <Listing
        texts={{ title: text.ports, columns: text.portColumns, none: text.noPorts }}
        list={component.ports}
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
      <Section
        title={text.rules}
        count={component.gatewayRules.http.totalCount + component.gatewayRules.tcp.totalCount}
      >
        <RuleTable rules={component.gatewayRules} />
      </Section>
      <Section title={text.variables} count={component.variables.totalCount}>
        <VariableTable variables={component.variables.nodes} />
      </Section>
      <Runs
        component={component}
        logOf={(run, title) => <Logs key={run} uid={uid} name={title} instance={null} run={run} />}
      />
      <Schedules component={component} />
      <DeployHooks component={component} />
      <Volumes component={component} />
      <Dependencies component={component} />
      <Section title={text.jobs} count={component.jobs.totalCount}>
        <JobTable jobs={component.jobs.nodes} mayCancel={component.application.mayCancel} />
      </Section>
    </>
  );
}

/** Null if they are as large as what is requested. */
function limitsOf({ cpuMillicores, memoryMiB, cpuLimitMillicores, memoryLimitMiB }: Component) {
  const isSame = cpuLimitMillicores === cpuMillicores && memoryLimitMiB === memoryMiB;
  return isSame ? null : text.atMost(cpuLimitMillicores, memoryLimitMiB);
}

function deployedImageOf({ deployedImage }: Component) {
  if (!deployedImage?.digest) return null;
  const { reference, digest, resolvedAt } = deployedImage;
  return (
    <span key="deployed">
      <code>{reference}</code> <Digest digest={digest} at={resolvedAt} />
    </span>
  );
}

function Facts({ component }: { component: Component }) {
  return (
    <Fields
      items={[
        [text.image, <code key="image">{component.image}</code>],
        [text.deployedImage, deployedImageOf(component)],
        [text.instances, component.replicas],
        [scaling.label, component.autoscaling && autoscalingText(component.autoscaling)],
        [placing.label, placementText(component.placement)],
        [text.resources, text.perInstance(component.cpuMillicores, component.memoryMiB)],
        [text.limits, limitsOf(component)],
        [text.alias, <code key="alias">{component.alias}</code>],
        [text.serviceName, component.serviceName && <code>{component.serviceName}</code>],
        [text.releases, component.releaseCount],
        [text.group, component.group && `${component.group.name} ${component.group.templateVersion ?? ''}`],
        [text.entrypoint, component.entrypoint && <code>{component.entrypoint}</code>],
        [text.command, component.command && <code>{component.command}</code>],
        [
          text.preDeployCommand,
          component.preDeployCommand && <code>{component.preDeployCommand.join(' ')}</code>,
        ],
        [text.dependents, <Components key="dependents" of={component.dependents.nodes} />],
        [
          text.addresses,
          component.accessUrls.length > 0 && (
            <>
              <Addresses of={component.accessUrls} />
              <LeadsNowhere region={component.application.region} />
            </>
          ),
        ],
      ]}
    />
  );
}

const autoscalingText = (autoscaling: NonNullable<Component['autoscaling']>) =>
  [
    scaling.bounds(autoscaling.minReplicas, autoscaling.maxReplicas),
    ...(autoscaling.cpuPercent === null ? [] : [scaling.cpu(autoscaling.cpuPercent)]),
    ...(autoscaling.memoryPercent === null ? [] : [scaling.memory(autoscaling.memoryPercent)]),
  ].join(', ');

/** Empty if instances can run on all nodes. */
const placementText = ({ nodeLabels, tolerations, spread, minAvailable }: Component['placement']) =>
  [
    ...nodeLabels.map(({ key, value }) => `${key}=${value}`),
    ...(tolerations.length > 0 ? [placing.tolerated(tolerations.length)] : []),
    ...(spread ? [placing.spreadOver[spread]] : []),
    ...(minAvailable === 1 ? [] : [placing.available(minAvailable)]),
  ].join(', ');

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
