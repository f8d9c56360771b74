import { type GraphQLObjectType, parse, validate } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/api.ts';
import type { Context } from '../../src/context.ts';
import { actorOf } from '../../src/domain/access-token/reads.ts';
import type { RegionDriver } from '../../src/drivers/region/driver.ts';
import { createLoaders } from '../../src/kernel/batch.ts';
import { type Generated, type Known, randomDocument } from '../support/documents.ts';
import { type Both, executeBoth, expectEqual } from '../support/execution.ts';
import { knownOf } from '../support/known.ts';
import { randomOf } from '../support/random.ts';
import { hanging } from '../support/region-drivers.ts';
import { createWorld, type World } from '../support/surfaces-world.ts';

let world: World;
let known: Known;
/** Of everybody who asks: what a caller may not see fails in other places. */
let contexts: (() => Context)[];
const timeout = 300_000;

/** Both answers to a document, made afresh for each; nothing where it is not valid. */
async function answersTo({ query, variables }: Generated, contextOf: () => Context) {
  const document = parse(query);
  if (validate(schema, document).length) return undefined;
  return executeBoth({ schema, document, variables, contextOf });
}

const administrator = () => contexts[0]!;
const ask = async (query: string, variables = {}): Promise<Both> => {
  const both = await answersTo({ query, variables }, administrator());
  if (!both) throw new Error(`Not valid: ${query}`);
  expectEqual(both, query);
  return both;
};

/** The executor compared with that of graphql-js, for chosen documents and a share of the random ones. */
export function comparesExecutors(share: number): void {
  beforeAll(async () => {
    world = await createWorld();
    const { trellis, viewer } = world;
    known = await knownOf(world);
    contexts = await Promise.all(
      [trellis.adminToken, viewer.token].map(async (token) => {
        const { actor } = (await actorOf(trellis.services.db, token))!;
        return () => ({ ...trellis.services, actor, requestId: 'the-request', loaders: createLoaders() });
      }),
    );
  }, 240_000);
  afterAll(() => world?.trellis.close());

  describe('our executor returns the same response as graphql-js', () => {
    it('for generated queries', { timeout }, async () => {
      const seen = { valid: 0, failing: 0, coercion: 0, whole: 0, same: 0 };
      for (let seed = 1; seed <= 700 * share; seed++) {
        const generated = randomDocument(schema, known, randomOf(seed));
        const both = await answersTo(generated, contexts[seed % 4 === 0 ? 1 : 0]!);
        if (!both) continue;
        seen.valid++;
        const isSame = expectEqual(both, `seed ${seed}: ${JSON.stringify(generated)}`);
        if (isSame) seen.same++;
        if (!('data' in both.plain)) seen.coercion++;
        else if (both.plain.errors) seen.failing++;
        else seen.whole++;
        // The plan is kept: the second time it is not made of the variables of the first.
        const document = parse(generated.query);
        for (const [name, value] of Object.entries(generated.variables)) {
          if (typeof value === 'boolean') generated.variables[name] = !value;
        }
        for (const variables of [undefined, generated.variables]) {
          const again = await executeBoth({ schema, document, variables, contextOf: administrator() });
          expectEqual(again, `seed ${seed} again: ${JSON.stringify(generated)}`);
        }
      }
      // Enough of each kind, or this would prove little.
      expect(seen.valid).toBeGreaterThan(400 * share);
      expect(seen.failing).toBeGreaterThan(80 * share);
      expect(seen.coercion).toBeGreaterThan(Math.floor(10 * share));
      expect(seen.whole).toBeGreaterThan(150 * share);
      expect(seen.same).toBeGreaterThan(seen.valid * 0.9);
    });

    it('for generated mutations that fail', { timeout }, async () => {
      const before = await world.trellis.counts();
      // Whoever may change nothing.
      const readOnly = () => {
        const context = administrator()();
        return { ...context, actor: { ...context.actor, isReadOnly: true } };
      };
      let refused = 0;
      for (let seed = 1; seed <= 150 * share; seed++) {
        const root = schema.getMutationType() as GraphQLObjectType;
        const generated = randomDocument(schema, known, randomOf(seed), root);
        const both = await answersTo(generated, readOnly);
        if (!both) continue;
        expectEqual(both, `seed ${seed}: ${JSON.stringify(generated)}`);
        if (both.plain.data) refused++;
      }
      expect(refused).toBeGreaterThan(40 * share);
      expect(await world.trellis.counts()).toEqual(before);
    });

    it('for mutations, each of which sees those before it', { timeout }, async () => {
      const at = { at: { component: { componentId: world.componentId }, number: 9090 } };
      const seen = `__typename ... on Error { code message }`;
      const port = `port { alias protocol isInner component { ports { nodes { alias isInner protocol } } } }`;
      // Ends as it began, so that the second execution begins as the first.
      const steps = [
        `openInnerService(input: { port: $port }) { ${seen} ... on OpenInnerServicePayload { ${port} } }`,
        `openInnerService(input: { port: $port }) { ${seen} ... on OpenInnerServicePayload { ${port} } }`,
        `changePortAlias(input: { port: $port, alias: "OTHER" }) { ${seen} ... on ChangePortAliasPayload { ${port} } }`,
        `deletePort(input: { port: { id: "x" } }) { ${seen} ... on DeletePortPayload { ${port} } }`,
        `changePortAlias(input: { port: $port, alias: "DATA" }) { ${seen} ... on ChangePortAliasPayload { ${port} } }`,
        `closeInnerService(input: { port: $port }) { ${seen} ... on CloseInnerServicePayload { ${port} } }`,
      ];
      const query = `mutation($port: PortRef!) { ${steps.map((step, index) => `s${index}: ${step}`).join('\n')} }`;
      const { ours } = await ask(query, { port: at });
      const data = ours.data as any;
      expect(data.s2.port.alias).toBe('OTHER');
      expect(data.s2.port.component.ports.nodes.map((each: any) => each.alias)).toContain('OTHER');
      expect(data.s3.code).toBe('NOT_FOUND');
      expect(data.s5.port).toMatchObject({ alias: 'DATA', isInner: false });
    });

    it('for a region that does not respond', { timeout }, async () => {
      const drivers = world.trellis.services.drivers.region as Map<string, RegionDriver>;
      drivers.set('hanging', hanging);
      await world.update('region', world.regions.failing.regionId, { driver: 'hanging' });
      try {
        const { ours } = await ask(
          `query($app: Int!) { application(by: { appId: $app }) {
            name region { usage { usedCpuCores } health name } components { nodes { status: state alias } } } }`,
          { app: world.failing.appId },
        );
        expect(ours.errors).toHaveLength(2);
      } finally {
        await world.update('region', world.regions.failing.regionId, { driver: 'failing' });
      }
    });

    it('for names of properties of JavaScript objects', async () => {
      const { ours } = await ask(
        `{ __proto__: __typename constructor: viewer { __proto__: user { __proto__: email toString: nickName }
          then: isAdministrator hasOwnProperty: accessToken { toJSON: name } } }`,
      );
      expect(Object.keys(ours.data!)).toEqual(['__proto__', 'constructor']);
      await ask(`query($__proto__: Int, $constructor: Boolean = true) {
        teams(first: $__proto__) { nodes @include(if: $constructor) { name } totalCount @skip(if: $constructor) } }`);
    });

    it('where a condition is null', async () => {
      const nodes = 'query($if: Boolean = true) { teams { nodes @include(if: $if) { name } totalCount } }';
      for (const variables of [{}, { if: false }, { if: null }, { if: true }, { if: null }]) {
        await ask(nodes, variables);
      }
      const root = 'query($if: Boolean = false) { teams @skip(if: $if) { totalCount } __typename }';
      for (const variables of [{ if: true }, { if: null }, { if: false }, { if: null }])
        await ask(root, variables);
      const document = parse(root);
      for (const variables of [{ if: false }, { if: null }, { if: true }, {}]) {
        const both = await executeBoth({ schema, document, variables, contextOf: administrator() });
        expectEqual(both, JSON.stringify(variables));
      }
    });

    it('for an item of a subscription that is missing', async () => {
      await ask('subscription { events(team: { teamId: "x" }) { action } }');
    });

    it('for one of several operations', async () => {
      const document = parse(
        'query A { viewer { __typename } } query B($n: Int!) { teams(first: $n) { totalCount } }',
      );
      for (const operationName of ['A', 'B', 'A']) {
        for (const variables of [{ n: 1 }, { n: 'x' }, {}]) {
          const given = { schema, document, operationName, variables, contextOf: administrator() };
          expectEqual(await executeBoth(given), operationName);
        }
      }
    });

    it('for the introspection query', async () => {
      const { getIntrospectionQuery } = await import('graphql');
      await ask(getIntrospectionQuery({ inputValueDeprecation: true, oneOf: true, specifiedByUrl: true }));
    });
  });
}
