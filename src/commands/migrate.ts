// npm run migrate: migrates the database and gives it its first administrator, as the start of a gateway does.
import { readConfig } from '../config.ts';
import { createLog } from '../kernel/log.ts';
import { prepare } from '../open.ts';
import { printFirstToken } from '../serve.ts';
import { options, run } from './command.ts';

const usage = `usage: npm run migrate [-- --force]
Migrates the database to this version. A gateway that starts does the same; run it before to keep the two apart.
--force does so although gateways of an earlier version are running, which are then not ready.`;

await run(async () => {
  const { force } = options({ force: { type: 'boolean', default: false } });
  const config = readConfig(process.env);
  printFirstToken(await prepare(config, createLog(config.logLevel), { force }), config);
}, usage);
