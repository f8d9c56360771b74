import type { Row } from '../../db/tables.ts';
import type { RegionSource } from '../../drivers/region/clusters.ts';
import type { DesiredHttpRule } from '../../drivers/region/desired.ts';
import type { DesiredContext, DesiredProviders } from '../job/desired-reads.ts';
import { configured } from './http/model.ts';

type RuleContext = Pick<DesiredContext, 'db' | 'seal'>;

const published = [{ field: 'isPublished' as const, is: true }];

const portFields = ['id', 'number', 'protocol'] as const;

const byId = (one: { id: number }, other: { id: number }) => one.id - other.id;

/** The published rules of a component, with their certificates. */
export const desiredRules: DesiredProviders['rules'] = async (context, componentId) => {
  const { db } = context;
  const [http, tcp, ports] = await Promise.all([
    db.httpRule.findManyByKeys({ by: 'componentId', keys: [componentId], where: published }),
    db.tcpRule.findManyByKeys({ by: 'componentId', keys: [componentId], where: published }),
    db.port.findManyByKeys({ by: 'componentId', keys: [componentId], fields: portFields }),
  ]);
  const portOf = new Map(ports.map((port) => [port.id, port]));
  const desired = desiredHttpRule(portOf, await certificatesOf(context, http));
  // Rules of a port that was added or deleted meanwhile come, or go, with work of their own.
  const hasPort = ({ portId }: { portId: number }) => portOf.has(portId);
  return {
    httpRules: http.filter(hasPort).sort(byId).map(desired),
    tcpRules: tcp
      .filter(hasPort)
      .sort(byId)
      .map((rule) => ({
        key: rule.key,
        portNumber: portOf.get(rule.portId)!.number,
        address: rule.address,
        outerPort: rule.portNumber,
        extensions: JSON.parse(rule.extensions) as unknown[],
      })),
  };
};

/** The published rules of other components, for clusters. The number of statements does not depend on the number of rules. */
export const otherRulesOf =
  (context: RuleContext): RegionSource['otherRules'] =>
  async (regionId, component, domains) => {
    const { db } = context;
    const where = [...published, { field: 'regionId' as const, is: regionId }];
    const found = await db.httpRule.findManyByKeys({ by: 'domain', keys: domains, where });
    const rules = found.filter(({ componentId }) => componentId !== component.id).sort(byId);
    const keysOf = <K>(keyOf: (rule: Row<'HttpRule'>) => K) => [...new Set(rules.map(keyOf))];
    const [components, ports, certificates] = await Promise.all([
      db.component.findManyByKeys({
        by: 'id',
        keys: keysOf(({ componentId }) => componentId),
        fields: ['id', 'teamId', 'namespaceId', 'clusterName', 'deployState'],
      }),
      db.port.findManyByKeys({ by: 'id', keys: keysOf(({ portId }) => portId), fields: portFields }),
      certificatesOf(context, rules),
    ]);
    const portOf = new Map(ports.map((port) => [port.id, port]));
    const componentOf = new Map(components.map((each) => [each.id, each]));
    const desired = desiredHttpRule(portOf, certificates);
    return rules.flatMap((rule) => {
      const other = componentOf.get(rule.componentId);
      // A component or port that was deleted since its rules were read has no rules any more.
      if (other?.teamId !== component.teamId || !portOf.has(rule.portId)) return [];
      const { deployState, ...named } = other;
      return { ...desired(rule), component: named, isRunning: deployState === 'running' };
    });
  };

const desiredHttpRule =
  (
    portOf: ReadonlyMap<number, Pick<Row<'Port'>, (typeof portFields)[number]>>,
    certificates: Awaited<ReturnType<typeof certificatesOf>>,
  ) =>
  (rule: Row<'HttpRule'>): DesiredHttpRule => ({
    id: rule.id,
    key: rule.key,
    portNumber: portOf.get(rule.portId)!.number,
    protocol: portOf.get(rule.portId)!.protocol,
    domain: rule.domain,
    path: rule.path,
    header: rule.header,
    cookie: rule.cookie,
    weight: rule.weight,
    pathRewrite: rule.pathRewrite,
    rewrites: JSON.parse(rule.rewrites) as unknown[],
    extensions: JSON.parse(rule.extensions) as unknown[],
    configuration: configured(JSON.parse(rule.configuration)),
    autoSsl: rule.autoSsl,
    certificate: certificates.get(rule.certificateId) ?? null,
  });

async function certificatesOf({ db, seal }: RuleContext, rules: readonly Row<'HttpRule'>[]) {
  const keys = [...new Set(rules.flatMap(({ certificateId }) => certificateId ?? []))];
  const rows = await db.certificate.findManyByKeys({ by: 'id', keys });
  return new Map<number | null, { name: string; chain: string; key: string }>(
    rows.map(({ id, name, chain, sealedKey }) => [id, { name, chain, key: seal.open(sealedKey) }]),
  );
}
