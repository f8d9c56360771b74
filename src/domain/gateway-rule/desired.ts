import type { Row } from '../../db/tables.ts';
import type { DesiredContext, DesiredProvider } from '../job/desired.ts';
import { configured } from './model.ts';

const published = [{ field: 'isPublished' as const, is: true }];

/** The published rules of a component, with their certificates. */
export const desiredRules: DesiredProvider = async (context, componentId) => {
  const { db } = context;
  const [http, tcp, ports] = await Promise.all([
    db.httpRule.findManyByKeys({ by: 'componentId', keys: [componentId], where: published }),
    db.tcpRule.findManyByKeys({ by: 'componentId', keys: [componentId], where: published }),
    db.port.findManyByKeys({ by: 'componentId', keys: [componentId], fields: ['id', 'number'] }),
  ]);
  const numberOf = new Map(ports.map(({ id, number }) => [id, number]));
  const certificates = await certificatesOf(context, http);
  const byId = (one: { id: number }, other: { id: number }) => one.id - other.id;
  return {
    httpRules: http.sort(byId).map((rule) => ({
      key: rule.key,
      portNumber: numberOf.get(rule.portId)!,
      domain: rule.domain,
      path: rule.path,
      header: rule.header,
      cookie: rule.cookie,
      weight: rule.weight,
      pathRewrite: rule.pathRewrite,
      rewrites: JSON.parse(rule.rewrites) as unknown[],
      extensions: JSON.parse(rule.extensions) as unknown[],
      configuration: configured(JSON.parse(rule.configuration)),
      certificate: certificates.get(rule.certificateId) ?? null,
    })),
    tcpRules: tcp.sort(byId).map((rule) => ({
      key: rule.key,
      portNumber: numberOf.get(rule.portId)!,
      address: rule.address,
      outerPort: rule.portNumber,
      extensions: JSON.parse(rule.extensions) as unknown[],
    })),
  };
};

async function certificatesOf({ db, seal }: DesiredContext, rules: readonly Row<'HttpRule'>[]) {
  const keys = [...new Set(rules.flatMap(({ certificateId }) => certificateId ?? []))];
  const rows = await db.certificate.findManyByKeys({ by: 'id', keys });
  return new Map<number | null, { name: string; chain: string; key: string }>(
    rows.map(({ id, name, chain, sealedKey }) => [id, { name, chain, key: seal.open(sealedKey) }]),
  );
}
