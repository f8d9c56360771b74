import type { ClusterSettings } from '../../clusters.ts';
import type { DesiredComponent, DesiredPort, DesiredTcpRule } from '../../desired.ts';
import { isNodePort } from '../../node-ports.ts';
import { backendName, slug, tcpName } from '../../object-names.ts';
import { type KubernetesObject, labelsOf, selectorOf } from '../objects/objects.ts';
import { transportsOf } from '../objects/transports.ts';
import { ingressesOf } from '../routes/ingresses.ts';
import { limitationsOfTcp, notAppliedOf } from '../routes/limitations.ts';
import { routedTcpRules, servedUdpRules, tcpRoutesOf, transportsOfRule } from '../routes/tcp.ts';
import { autoscalerOf } from '../workload/autoscaling.ts';
import { configurationOf } from '../workload/configuration.ts';
import { budgetOf } from '../workload/placement.ts';
import { pullSecretOf } from '../workload/pull-secret.ts';
import { claimsOf, type WorkloadSettings, workloadOf } from '../workload/workload.ts';

/** The alias of a port as a name in a Service, which can neither have `_` nor end with `-`. */
function portNameOf(alias: string): string {
  const name = alias.toLowerCase().replaceAll('_', '-');
  return /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name) ? name : slug(alias);
}

/** A Service in front of ports, each by its alias. */
function service(component: DesiredComponent, name: string, ports: readonly DesiredPort[]): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, labels: labelsOf(component) },
    spec: {
      selector: selectorOf(component),
      ports: ports.flatMap((port) =>
        transportsOf(port).map((transport, index) => ({
          // Aliases begin with a letter, so that the second transport of a port has a name that no other port has.
          name: index === 0 ? portNameOf(port.alias) : `${port.number}-${transport.toLowerCase()}`,
          port: port.number,
          protocol: transport,
          targetPort: port.number,
          // Gateways use HTTP/1.1 otherwise.
          ...(port.protocol === 'grpc' && { appProtocol: 'kubernetes.io/h2c' }),
        })),
      ),
    },
  };
}

/** Services by the inner domains: that of the component, and those that ports have of their own. */
function innerServices(component: DesiredComponent): KubernetesObject[] {
  const inner = component.ports.filter(({ isInner }) => isInner);
  const byName = new Map<string, DesiredPort[]>();
  for (const port of inner) {
    for (const name of [component.serviceName, port.additionalName]) {
      if (name) byName.set(name, [...(byName.get(name) ?? []), port]);
    }
  }
  return [...byName].map(([name, ports]) => service(component, name, ports));
}

/** The Service that routes send to, with the ports that have rules. */
function backendService(component: DesiredComponent, hasTcpRoutes: boolean): KubernetesObject[] {
  const rules = [...component.httpRules, ...(hasTcpRoutes ? routedTcpRules(component) : [])];
  const used = new Set(rules.map(({ portNumber }) => portNumber));
  const ports = component.ports.filter(({ number }) => used.has(number));
  return ports.length ? [service(component, backendName(component), ports)] : [];
}

/** A Service for each of these rules: on the nodes if the port is one of theirs, else behind a load balancer. */
const tcpServices = (component: DesiredComponent, rules: readonly DesiredTcpRule[]): KubernetesObject[] =>
  rules.map((rule) => {
    const { portNumber, outerPort } = rule;
    return {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: {
        name: tcpName(component, outerPort),
        labels: labelsOf(component),
        ...notAppliedOf(limitationsOfTcp(rule).ignored),
      },
      spec: {
        type: isNodePort(outerPort) ? 'NodePort' : 'LoadBalancer',
        selector: selectorOf(component),
        ports: transportsOfRule(component, rule).map((protocol, index) => ({
          name: index === 0 ? 'main' : protocol.toLowerCase(),
          ...{ protocol, targetPort: portNumber },
          ...(isNodePort(outerPort) ? { port: portNumber, nodePort: outerPort } : { port: outerPort }),
        })),
      },
    };
  });

/**
 * The objects of a component in the cluster, in the order in which they are applied. HTTPRoutes belong to its team, because
 * several components can share one.
 */
export function componentObjects(
  component: DesiredComponent,
  settings: WorkloadSettings &
    Pick<ClusterSettings, 'gatewayClass' | 'ingressClass' | 'certificateIssuer'> & { hasTcpRoutes: boolean },
): KubernetesObject[] {
  const isRunning = component.state === 'running';
  const { hasTcpRoutes } = settings;
  const { tcpRules } = component;
  return [
    ...Object.values(configurationOf(component)).filter((object) => object !== undefined),
    ...pullSecretOf(component),
    ...claimsOf(component, settings),
    ...workloadOf(component, settings),
    ...autoscalerOf(component),
    ...budgetOf(component, settings.hasBudgets),
    ...innerServices(component),
    ...(isRunning
      ? [
          ...backendService(component, hasTcpRoutes),
          ...tcpServices(component, hasTcpRoutes ? servedUdpRules(component) : tcpRules),
          ...(hasTcpRoutes ? tcpRoutesOf(component, settings.gatewayClass!) : []),
          ...(settings.gatewayClass ? [] : ingressesOf(component, settings)),
        ]
      : []),
  ];
}
