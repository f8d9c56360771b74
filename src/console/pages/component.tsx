import { Link, Redirect, useSearchParams } from 'wouter';
import type { ResultOf } from '../api/graphql.ts';
import { useView } from '../api/view.ts';
import { autoscalingText, text as scaling } from '../application/component/autoscaling/strings.ts';
import { ComponentQuery } from '../documents/component.ts';
import { LeadsNowhere } from '../exposure/nowhere.tsx';
import { PortSwitches } from '../exposure/ports/switches.tsx';
import { Releases } from '../releases/section.tsx';
import { text as releaseTexts } from '../releases/strings.ts';
import { strings } from '../strings.ts';
import { Addresses } from '../ui/address.tsx';
import { Fields } from '../ui/blocks.tsx';
import { Digest } from '../ui/digest.tsx';
import { protocolText } from '../ui/protocol.ts';
import { ChangeImage } from './actions/component.tsx';
import { ComponentFrame } from './component-head.tsx';
import { movedTo } from './followed.ts';
import { Instances } from './instances.tsx';
import { MovedImage } from './moved-image.tsx';
import { Problem } from './problem.tsx';

const text = strings.component;
type Component = NonNullable<ResultOf<typeof ComponentQuery>['component']>;

/** How many releases and addresses the overview shows. */
const shown = 3;

/** What is wrong with a component, how many instances it has, where it can be reached, and what was deployed. */
export function ComponentPage({ uid }: { uid: string }) {
  const [params] = useSearchParams();
  const moved = movedTo(uid, params);
  return moved ? <Redirect to={moved} replace /> : <Overview uid={uid} />;
}

function Overview({ uid }: { uid: string }) {
  // What changed with a release needs the one before it.
  const view = useView(ComponentQuery, { by: { componentId: uid }, first: shown + 1 });
  return (
    <ComponentFrame uid={uid} tab="overview" view={view}>
      {(component) => (
        <>
          <Problem component={component} />
          <MovedImage component={component} />
          {component.description && <p className="soft">{component.description}</p>}
          <Facts component={component} />
          <Instances uid={uid} />
          <Releases
            component={component}
            shown={shown}
            actions={
              component.releases.totalCount > shown && (
                <Link className="button small" href={`/components/${uid}/history`}>
                  {releaseTexts.all}
                </Link>
              )
            }
          />
        </>
      )}
    </ComponentFrame>
  );
}

function Facts({ component }: { component: Component }) {
  const { uid, image, replicas, autoscaling, accessUrls, ports, group } = component;
  const network = `/components/${uid}/network`;
  return (
    <Fields
      items={[
        [
          text.image,
          <span key="image" className="row wrap wide">
            <code>{image}</code> <ChangeImage uid={uid} />
          </span>,
        ],
        [text.deployedImage, deployedImageOf(component)],
        [text.instances, replicas],
        [scaling.label, autoscaling && autoscalingText(autoscaling)],
        [text.resources, text.perInstance(component.cpuMillicores, component.memoryMiB)],
        [text.serviceName, component.serviceName && <code>{component.serviceName}</code>],
        [text.ports, ports.totalCount > 0 && <Ports key="ports" component={component} />],
        [text.group, group && `${group.name} ${group.templateVersion ?? ''}`],
        [
          text.addresses,
          accessUrls.length > 0 && (
            <>
              <Addresses of={accessUrls.slice(0, shown)} />
              <Rest count={accessUrls.length - shown} href={network} />
              <LeadsNowhere region={component.application.region} />
            </>
          ),
        ],
      ]}
    />
  );
}

function Ports({ component: { uid, ports } }: { component: Component }) {
  return (
    <>
      <ul className="ports wide">
        {ports.nodes.map((port) => (
          <li key={port.id} className="port-actions">
            <Link className="mono" href={`/components/${uid}/ports/${port.number}`}>
              {port.number}
            </Link>
            <span className="soft">{protocolText(port.protocol)}</span>
            <PortSwitches port={port} />
          </li>
        ))}
      </ul>
      <Rest count={ports.totalCount - ports.nodes.length} href={`/components/${uid}/network`} />
    </>
  );
}

/** Leads to those of a list that are not shown. */
const Rest = ({ count, href }: { count: number; href: string }) =>
  count > 0 && <Link href={href}>{strings.common.more(count)}</Link>;

function deployedImageOf({ deployedImage }: Component) {
  if (!deployedImage?.digest) return null;
  const { reference, digest, resolvedAt } = deployedImage;
  return (
    <span key="deployed">
      <code>{reference}</code> <Digest digest={digest} at={resolvedAt} />
    </span>
  );
}
