import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

const usage = `npm run test:driver -- [--kubeconfig FILE] [--gateway-class NAME] [--certificate-issuer NAME]

Tests the contract of region drivers with the cluster of a kubeconfig, or without one with a server in memory.`;

/** The environment that tests read, of the options of the command. */
function environmentOf(args: string[]): Record<string, string> {
  const { values } = parseArgs({
    args,
    options: {
      kubeconfig: { type: 'string' },
      'gateway-class': { type: 'string' },
      'certificate-issuer': { type: 'string' },
    },
  });
  const { kubeconfig, 'gateway-class': gatewayClass, 'certificate-issuer': issuer } = values;
  return {
    ...(kubeconfig && { KUBECONFIG: resolve(kubeconfig), TRELLIS_TEST_CLUSTER: 'yes' }),
    ...(gatewayClass && { TRELLIS_TEST_GATEWAY_CLASS: gatewayClass }),
    ...(issuer && { TRELLIS_TEST_CERTIFICATE_ISSUER: issuer }),
  };
}

let given: Record<string, string>;
try {
  given = environmentOf(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n\n${usage}\n`);
  process.exit(1);
}
const args = ['vitest', 'run', '--project', 'sqlite', '--reporter', 'verbose'];
const { status } = spawnSync('npx', [...args, 'test/unit/kubernetes/component/driver.once.test.ts'], {
  stdio: 'inherit',
  env: { ...process.env, ...given },
});
process.exit(status ?? 1);
