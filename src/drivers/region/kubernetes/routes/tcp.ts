import type { DesiredComponent, DesiredTcpRule } from '../../desired.ts';
import { backendName, tcpGatewayName, tcpName } from '../../object-names.ts';
import { type KubernetesObject, labelsOf } from '../objects/objects.ts';
import { transportsOf } from '../objects/transports.ts';
import { gatewayOf } from './gateway.ts';
import { limitationsOfTcp, notAppliedOf } from './limitations.ts';

const tcpListenerName = (outerPort: number) => `tcp-${outerPort}`;

export const transportsOfRule = ({ ports }: DesiredComponent, { portNumber }: DesiredTcpRule) =>
  ports.filter(({ number }) => number === portNumber).flatMap(transportsOf);

const hasUdp = (component: DesiredComponent, rule: DesiredTcpRule) =>
  transportsOfRule(component, rule).includes('UDP');

/** The rules that routes for TCP can express. */
export const routedTcpRules = (component: DesiredComponent) =>
  component.tcpRules.filter((rule) => !hasUdp(component, rule));

/** The others, which only Services serve. */
export const servedUdpRules = (component: DesiredComponent) =>
  component.tcpRules.filter((rule) => hasUdp(component, rule));

/**
 * A gateway with a listener for each of these rules, and their TCPRoutes. It is the component's own, because a gateway has at
 * most 64 listeners.
 */
export function tcpRoutesOf(component: DesiredComponent, gatewayClass: string): KubernetesObject[] {
  const rules = routedTcpRules(component);
  if (rules.length === 0) return [];
  const name = tcpGatewayName(component);
  const gateway = gatewayOf(gatewayClass, labelsOf(component), []);
  const listeners = rules.map(({ outerPort }) => ({
    name: tcpListenerName(outerPort),
    port: outerPort,
    protocol: 'TCP',
  }));
  const routes = rules.map((rule) => ({
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'TCPRoute',
    metadata: {
      name: tcpName(component, rule.outerPort),
      labels: labelsOf(component),
      ...notAppliedOf(limitationsOfTcp(rule).ignored),
    },
    spec: {
      parentRefs: [{ name, sectionName: tcpListenerName(rule.outerPort) }],
      rules: [{ backendRefs: [{ name: backendName(component), port: rule.portNumber }] }],
    },
  }));
  return [
    { ...gateway, metadata: { ...gateway.metadata, name }, spec: { ...gateway.spec, listeners } },
    ...routes,
  ];
}
