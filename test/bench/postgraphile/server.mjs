// PostGraphile as its users run it in production: grafserv on node:http, its own caches as they come, no
// GraphiQL, no explain, no websockets. `outputDataAsString` was tried: it is no faster here.
import { createServer } from 'node:http';
import { SafeError } from 'grafast';
import { grafserv } from 'grafserv/node';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';

const { DATABASE_URL, DATABASE_POOL, HOST, PORT, TOKEN, RIGHTS_OF } = process.env;
const authorization = `Bearer ${TOKEN}`;

const instance = postgraphile({
  extends: [PostGraphileAmberPreset],
  // The lists are asked for in the order in which Trellis has them, which an index serves: this plugin would
  // offer orders by the first column of an index only.
  disablePlugins: ['PgIndexBehaviorsPlugin'],
  pgServices: [
    makePgService({
      connectionString: DATABASE_URL,
      schemas: ['public'],
      poolConfig: { max: Number(DATABASE_POOL) },
      pubsub: false,
    }),
  ],
  // Plain lists beside connections: they are its faster way to the same rows.
  schema: { defaultBehavior: '+list' },
  grafserv: {
    graphqlPath: '/graphql',
    graphiql: false,
    watch: false,
    websockets: false,
  },
  grafast: {
    explain: false,
    // The cheapest check that refuses a stranger: one comparison, no statement, no role and so no transaction.
    // Trellis pays for more: a token that can be revoked, a user, and that user's rights.
    context({ node }) {
      if (node?.req.headers.authorization !== authorization) {
        throw new SafeError('A valid access token is required.');
      }
      // The policy and the trigger of rights.ts are for this role.
      return RIGHTS_OF ? { pgSettings: { role: 'bench_rights', 'bench.email': RIGHTS_OF } } : {};
    },
  },
});

const server = createServer();
await instance.createServ(grafserv).addTo(server);
// Its schema is made before the first request rather than by it.
await instance.getSchema();
server.listen(Number(PORT), HOST);
process.once('SIGTERM', () => process.exit(0));
