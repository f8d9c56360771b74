import type { KnipConfig } from 'knip';

/**
 * What nothing uses. `npm run check` runs knip twice: over everything, and with `--production` over the product, which the
 * patterns that end in `!` are. The second run finds what only tests use.
 */
const config: KnipConfig = ({ production }) => ({
  entry: [
    'src/main.ts!',
    'src/commands/{demo,migrate,migration,reset-fence,rotate-key,schema,seed,token,verify-record}.ts!',
    'src/cli/main.ts!',
    'src/console/main.tsx!',
    // A thread that is started by path.
    'src/domain/manifest/yaml-thread.mjs',
    // Programs of pages.
    'src/**/browser.mjs',
    'src/**/{build,check}.mjs',
    'prisma/*.mjs',
    'test/**/*.test.{ts,tsx}',
    // Programs that people, tests or benchmarks start by path.
    'test/bench/{bench,first-answer,limit,raw}.ts',
    'test/support/import-losses.ts',
    'test/{bench,soak,support}/**/*.mjs',
    // Examples for readers.
    'test/clients/**/*.{ts,tsx,mjs}',
  ],
  project: ['src/**/*.{ts,tsx}!', 'src/**/*.mjs', 'prisma/*.mjs', 'test/**/*.{ts,tsx,mjs}'],
  vite: { config: 'src/console/vite.config.mjs' },
  // Generated code exports more than is used, and takes longer to parse than the rest.
  compilers: { ts: (text, path) => (path.includes('/generated/') ? '' : text) },
  // Tests may call a part of a file with settings or a time of their own. What no other part calls is dead, though.
  ignoreExportsUsedInFile: production,
  ignoreDependencies: [
    // The generated database client imports it.
    '@prisma/client',
    // Their files are read by path.
    'swagger-ui-dist',
    'axe-core',
    '@sparticuz/chromium',
    // Comes with gql.tada, in the version that it needs.
    '@gql.tada/internal',
    // The benchmark of another server installs them (test/bench/postgraphile/package.json).
    'grafast',
    'grafserv',
    'postgraphile',
  ],
  // Packages of the examples that only test/clients/package.json has.
  ignoreIssues: { 'test/clients/**': ['unlisted', 'unresolved'] },
  // Commands that are part of an operating system.
  exclude: ['binaries'],
});

export default config;
