import { isObject, type Leave, type Yaml } from './file.ts';
import { secondsOf, words } from './values.ts';

/** The health check of a service as a readiness probe. */
export function probeOf(check: Yaml, leave: Leave): object | undefined {
  if (!isObject(check) || String(check.disable) === 'true') return undefined;
  const test = Array.isArray(check.test) ? check.test.map(String) : ['CMD-SHELL', String(check.test ?? '')];
  const [kind, ...rest] = test;
  if (kind === 'NONE') return undefined;
  const command = kind === 'CMD-SHELL' ? ['sh', '-c', rest.join(' ')] : rest;
  if (!['CMD', 'CMD-SHELL'].includes(kind!) || command.length === 0 || command.join('').trim() === 'sh-c') {
    leave('CHANGED', 'healthcheck', 'The check has no command.');
    return undefined;
  }
  const whole = (value: unknown) => {
    const seconds = secondsOf(value);
    return seconds === undefined ? undefined : Math.max(1, Math.round(seconds));
  };
  const fields = {
    command: words(command),
    initialDelaySeconds: whole(check.start_period),
    periodSeconds: whole(check.interval),
    timeoutSeconds: whole(check.timeout),
    failureThreshold: check.retries === undefined ? undefined : Number(check.retries),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
