import type { DesiredProviders } from '../job/desired-reads.ts';

export const desiredPorts: DesiredProviders['ports'] = async ({ db }, componentId) => {
  const ports = await db.port.findManyByKeys({ by: 'componentId', keys: [componentId] });
  return {
    ports: ports
      .sort((one, other) => one.number - other.number)
      .map(({ number, protocol, alias, isInner, isOuter, additionalName }) => ({
        number,
        protocol,
        alias,
        isInner,
        isOuter,
        additionalName,
      })),
  };
};
