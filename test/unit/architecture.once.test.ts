import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  compare,
  everyImport,
  findCycle,
  type Order,
  sources,
  targetOf,
  textOf,
} from '../support/imports.ts';

/** A file imports from its own part and from the parts before it. The concepts are in order, parent before child. */
const parts = [
  ['kernel'],
  ['db'],
  ['live', 'idempotency'],
  ['drivers'],
  ['context'],
  ['http'],
  ['graphql', 'rest'],
  ['operations'],
  ['mcp'],
  ...[
    'enterprise',
    'user',
    'role',
    'team',
    'service-account',
    'upkeep',
    'event',
    'certificate',
    'registry-credential',
    'region',
    'application',
    'member',
    'job',
    'component',
    'run',
    'access-token',
    'session',
    'trust',
    'deploy-hook',
    'webhook',
    'port',
    'gateway-rule',
    'plan',
    'app-store',
    'namespace',
    'copy',
    'manifest',
    'release',
    'preview',
  ].map((concept) => [`domain/${concept}`]),
  ['api'],
  ['telemetry'],
  ['settings'],
  ['credentials'],
  ['surfaces'],
  ['app', 'config'],
  ['open'],
  ['serve'],
  ['workers'],
  ['run'],
  ['main', 'commands'],
];

/**
 * Inside a concept, a file imports from its own layer and from the layers before it. The end of a file's name tells its
 * layer (`rows.ts`, `port-rows.ts`), or its folder does.
 */
const layers: { names: string[]; folders: string[] }[] = [
  { names: ['model'], folders: [] },
  { names: ['reads'], folders: ['app-store/merge', 'plan'] },
  { names: ['rows', 'hooks'], folders: [] },
  { names: ['operations'], folders: ['job/worker', 'job/reconcile'] },
  { names: ['graphql'], folders: [] },
  { names: ['rest'], folders: [] },
];

/** The rooms of the parts that have some, in the order of their dependencies. */
const roomOrders: Readonly<Record<string, Order>> = {
  db: [
    ['tables.ts'],
    ['query'],
    ['client.ts'],
    ['channel'],
    ['database.ts'],
    ['connection'],
    ['postgres', 'sqlite'],
    ['open.ts'],
    ['list.ts', 'scoped.ts', 'sealed.ts', 'other-connections.ts', 'gateways.ts'],
    ['write'],
    ['work'],
    ['migrate'],
  ],
  'drivers/region/kubernetes': [
    ['objects', 'queries'],
    ['cluster'],
    ['write'],
    ['logs', 'namespace', 'routes', 'workload'],
    ['import', 'instances', 'snapshots'],
    ['runs', 'usage'],
    ['component'],
    ['kubernetes.ts'],
  ],
};

/**
 * The console runs in browsers and the command line at the caller's, and both are none of the parts. What they share with the server
 * are formats, and the conversion of descriptions of applications.
 */
const isConsole = (file: string) => file.startsWith('console/');
const isCommandLine = (file: string) => file.startsWith('cli/');
const isFormat = (file: string) => file.startsWith('formats/');
const isConversion = (file: string) => file.startsWith('convert/');
const isShared = (file: string) => isFormat(file) || isConversion(file);
const files = sources.filter((file) => !isConsole(file) && !isCommandLine(file) && !isShared(file));

/** `domain/port/rows.ts` → `domain/port`; `http/send.ts` → `http`; `app.ts` → `app`. */
const partOf = (file: string) => /^(domain\/[^/]+|[^/.]+)/.exec(file)![0];
const rankOf = (file: string) => parts.findIndex((names) => names.includes(partOf(file)));

function layerOf(file: string): number {
  const path = file.replace(/^domain\/|\.ts$/g, '');
  const named = layers.findIndex(({ names }) => names.some((name) => path.endsWith(name)));
  if (named >= 0) return named;
  return layers.findIndex(({ folders }) => folders.includes(dirname(path)));
}

const imports = everyImport.filter(
  ({ file, target }) =>
    !isConsole(file) && !isCommandLine(file) && !isShared(target) && !target.startsWith('..'),
);

describe('the architecture', () => {
  it('assigns every file to a part, and every file of a concept to a layer', () => {
    expect(files.filter((file) => rankOf(file) < 0)).toEqual([]);
    expect(files.filter((file) => file.startsWith('domain/') && layerOf(file) < 0)).toEqual([]);
  });

  it('has dependencies in one direction, between parts and between the layers of a concept', () => {
    expect(imports.length).toBeGreaterThan(200);
    const wrong = imports.filter(({ file, target }) => {
      if (partOf(file) !== partOf(target)) return rankOf(target) >= rankOf(file);
      return file.startsWith('domain/') && layerOf(target) > layerOf(file);
    });
    expect(wrong).toEqual([]);
  });

  it.each(Object.entries(roomOrders))(
    'has dependencies in one direction between the rooms of %s',
    (part, order) => {
      const rooms = compare(part, order);
      expect(rooms.unplaced).toEqual([]);
      expect(rooms.imports.length).toBeGreaterThan(100);
      expect(rooms.wrong).toEqual([]);
    },
  );

  it('has concepts that know the interfaces of drivers, and none of their implementations', () => {
    const implementations = /^drivers\/(region\/(kubernetes|simulated|declared)|.*\/http\.ts)/;
    const wrong = imports.filter(
      ({ file, target }) => file.startsWith('domain/') && implementations.test(target),
    );
    expect(wrong).toEqual([]);
  });

  it('has a console that uses the interface alone', () => {
    const across = everyImport.filter(
      ({ file, target }) => isConsole(file) !== isConsole(target) && !isShared(target),
    );
    expect(across).toEqual([]);
    expect(sources.filter(isConsole).length).toBeGreaterThan(20);
  });

  it('has a command line that uses the interface alone', () => {
    const across = everyImport.filter(
      ({ file, target }) => isCommandLine(file) !== isCommandLine(target) && !isShared(target),
    );
    // Its version.
    expect(across).toEqual([{ file: 'cli/program.ts', target: '../package.json' }]);
    expect(sources.filter(isCommandLine).length).toBeGreaterThan(15);
  });

  it('has formats that import nothing', () => {
    expect(everyImport.filter(({ file }) => isFormat(file))).toEqual([]);
  });

  it('has a conversion that imports formats alone, and reads no files', () => {
    const across = everyImport.filter(({ file, target }) => isConversion(file) && !isShared(target));
    expect(across).toEqual([]);
    const converting = sources.filter(isConversion);
    expect(converting.length).toBeGreaterThan(5);
    expect(converting.filter((file) => /'node:|\bprocess\./.test(textOf(file)))).toEqual([]);
  });

  it('has no import cycle', () => {
    expect(findCycle(everyImport)).toBeUndefined();
  });

  it('imports database drivers and the generated clients in db/ only', () => {
    const drivers = /(?:from|import)\s*\(?\s*'(pg|better-sqlite3|@prisma\/[^']+|[^']*\/generated\/[^']+)'/;
    const importing = files.filter((file) => drivers.test(textOf(file)));
    expect(importing.length).toBeGreaterThan(5);
    expect(importing.filter((file) => !file.startsWith('db/'))).toEqual([]);
  });

  it('has one module that claims work', () => {
    // A lease is set with its owner and its end. Others release it, or read who has it.
    const claim =
      /\bdata: \{[^}]*(?<!')\b(?:owner|leaseOwner|leaseUntil|heldUntil|recheckLeaseUntil)\b(?!: null)/;
    const claiming = files.filter((file) => claim.test(textOf(file)));
    expect(claiming).toEqual([
      'db/work/holder.ts',
      // Requests of a session wait for the gateway that asks the identity provider.
      'domain/session/rows.ts',
    ]);
    const generic = imports.filter(({ target }) => target === 'db/work/delegate.ts');
    expect(generic.map(({ file }) => file).filter((file) => !file.startsWith('db/work/'))).toEqual([]);
  });

  it('has one engine that carries out the change of an application, and knows who plans one', () => {
    const calling = (names: string) => {
      const call = new RegExp(`(?<!function )\\b(?:${names})(?:<[^>]*>)?\\(`);
      return files.filter((file) => file.startsWith('domain/') && call.test(textOf(file))).sort();
    };
    // What is read and what is wanted become work on components in one place. A copy is what is stored.
    expect(calling('workOn')).toEqual(['domain/copy/plan-reads.ts', 'domain/plan/component.ts']);
    expect(calling('planComponent')).toEqual([
      'domain/app-store/merge/added.ts',
      'domain/app-store/merge/merge.ts',
      'domain/namespace/rows.ts',
      'domain/plan/entry.ts',
      'domain/release/plan-model.ts',
    ]);
    expect(calling('applyComponents|writeComponents')).toEqual([
      'domain/app-store/operations.ts',
      'domain/app-store/upgrade/rows.ts',
      'domain/copy/rows.ts',
      'domain/manifest/apply-rows.ts',
      'domain/namespace/rows.ts',
      'domain/plan/apply-rows.ts',
      'domain/preview/open-operations.ts',
      'domain/release/restore-rows.ts',
    ]);
    expect(calling('insertComponents|insertPorts|changePorts|changeAllVariables|changeAllVolumes')).toEqual([
      'domain/component/variables/rows.ts',
      'domain/plan/apply-rows.ts',
      'domain/plan/parts-rows.ts',
    ]);
    expect(calling('dryRunOf')).toEqual(['domain/plan/planned-operations.ts']);
    expect(calling('plannedBefore')).toEqual([
      'domain/app-store/operations.ts',
      'domain/app-store/publish/application-operations.ts',
      'domain/component/deploy/operations.ts',
      'domain/copy/operations.ts',
      'domain/namespace/operations.ts',
      'domain/plan/planned-operations.ts',
      'domain/preview/open-operations.ts',
    ]);
  });

  it('loads the client of Kubernetes only when a region uses it', () => {
    const importing = files.filter((file) => textOf(file).includes("'@kubernetes/client-node'"));
    expect(importing.length).toBeGreaterThan(0);
    expect(importing.filter((file) => !file.startsWith('drivers/region/kubernetes/'))).toEqual([]);
    const isStatic = /^import (?!type )[^;]*'@kubernetes\/client-node'/m;
    expect(importing.filter((file) => isStatic.test(textOf(file)))).toEqual([]);
  });

  it('loads the packages of telemetry, and those of MCP, only when they are asked for', () => {
    const importing = files.filter((file) => /'(prom-client|@opentelemetry\/[^']+)'/.test(textOf(file)));
    expect(importing.length).toBeGreaterThan(0);
    expect(importing.filter((file) => !file.startsWith('telemetry/'))).toEqual([]);
    // What a start loads: imports that are neither dynamic nor of types alone.
    const loaded = new Set(['run.ts']);
    for (const file of loaded) {
      for (const [, isType, target] of textOf(file).matchAll(
        /^(?:import|export) (type )?[^;]*? from '(\.[^']+)'/gm,
      )) {
        const path = targetOf(file, target!);
        if (!isType && !path.includes('generated') && !path.startsWith('..')) loaded.add(path);
      }
    }
    expect(loaded.size).toBeGreaterThan(200);
    expect(importing.filter((file) => loaded.has(file))).toEqual([]);
    // Most gateways are never asked for tools.
    expect([...loaded].filter((file) => file.startsWith('mcp/')).sort()).toEqual([
      'mcp/documents.ts',
      'mcp/endpoint.ts',
    ]);
  });
});
