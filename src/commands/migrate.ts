// npm run migrate: migrates the database and gives it its first administrator, as the start of a gateway does.
import { readConfig } from '../config.ts';
import { createLog } from '../kernel/log.ts';
import { prepare } from '../open.ts';
import { printFirstToken } from '../serve.ts';
import { options, run } from './command.ts';

const usage = `usage: npm run migrate
Migrates the database to this version. A gateway that starts does the same; run it before to keep the two apart.`;

await run(async () => {
  options({});
  const config = readConfig(process.env);
  printFirstToken(await prepare(config, createLog(config.logLevel)), config);
}, usage);
