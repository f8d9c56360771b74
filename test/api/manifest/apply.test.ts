import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPlace } from '../../support/fixtures.ts';
import { apply, exported, plan, shortly } from '../../support/manifests.ts';
import { startTrellis, type Trellis } from '../../support/trellis.ts';

let trellis: Trellis;
beforeAll(async () => {
  trellis = await startTrellis();
});
afterAll(() => trellis.close());

const shop = `application: shop
note: The web shop
components:
  database:
    image: postgres:18
    extendMethod: STATE
    memoryMiB: 1024
    variables:
      POSTGRES_PASSWORD: one
    volumes:
      data: { path: /var/lib/postgresql, type: local, capacityGiB: 10 }
    ports:
      5432: { protocol: tcp, isInner: true }
  web:
    image: registry.example/shop/web:1.4
    replicas: 2
    variables:
      LOG_LEVEL: info
    dependsOn: [database]
    ports:
      80: { protocol: http, isInner: true, isOuter: true }
routes:
  - { domain: www.shop.example, path: /, component: web, port: 80 }
`;

describe('applyManifest', () => {
  it('creates an application, after which nothing is left to plan', async () => {
    const place = await createPlace(trellis);
    const planned = await plan(trellis, place, shop);
    expect(shortly(planned)).toMatchInlineSnapshot(`
      [
        "CREATE APPLICATION shop note: null -> The web shop, principal: null -> admin",
        "CREATE COMPONENT database image: null -> postgres:18, replicas: null -> 1, cpuMillicores: null -> 500, memoryMiB: null -> 1024, extendMethod: null -> STATE",
        "CREATE VARIABLE database POSTGRES_PASSWORD value: null -> [redacted]",
        "CREATE VOLUME database data path: null -> /var/lib/postgresql, type: null -> local, capacityGiB: null -> 10",
        "CREATE PORT database 5432 protocol: null -> tcp, isInner: null -> true, isOuter: null -> false",
        "CREATE COMPONENT web image: null -> registry.example/shop/web:1.4, replicas: null -> 2, cpuMillicores: null -> 500, memoryMiB: null -> 512",
        "CREATE VARIABLE web LOG_LEVEL value: null -> info",
        "CREATE PORT web 80 protocol: null -> http, isInner: null -> true, isOuter: null -> true",
        "CREATE DEPENDENCY web database",
        "CREATE HTTP_ROUTE web www.shop.example/",
      ]
    `);
    const applied = await apply(trellis, place, shop, { expectedPlan: planned.digest });
    expect(applied.plan).toEqual(planned);
    expect((await plan(trellis, place, shop)).changes).toEqual([]);
    const { document, omitted } = await exported(trellis, applied.application.appId);
    expect(omitted).toEqual([]);
    expect(document).toMatchInlineSnapshot(`
      "application: shop
      note: The web shop
      principal: admin
      components:
        database:
          image: postgres:18
          replicas: 1
          cpuMillicores: 500
          memoryMiB: 1024
          extendMethod: STATE
          variables:
            POSTGRES_PASSWORD: { secret: preserve }
          volumes:
            data: { path: /var/lib/postgresql, type: local, capacityGiB: 10 }
          ports:
            5432: { protocol: tcp, isInner: true }
        web:
          image: registry.example/shop/web:1.4
          replicas: 2
          cpuMillicores: 500
          memoryMiB: 512
          variables:
            LOG_LEVEL: info
          ports:
            80: { protocol: http, isInner: true, isOuter: true }
          dependsOn: [ database ]
      routes:
        - { domain: www.shop.example, component: web, port: 80 }
      "
    `);
    const again = await plan(trellis, place, document);
    expect([again.changes, again.adopted]).toEqual([[], []]);
  });
});
