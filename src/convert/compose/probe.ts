import { isTrue, type Mapping, textIn } from '../yaml.ts';
import { textOf } from './merge.ts';
import type { ServiceTell } from './model.ts';
import { secondsOf } from './values.ts';

/** What Compose takes for what a check leaves out. */
const defaults = { interval: 30, timeout: 30, retries: 3 };
const limits = { words: 64, length: 4_096, seconds: 86_400, failures: 1_000 };

/**
 * The health check of a service as a readiness probe. With a start period, a startup probe gives an instance that time before
 * failures count.
 */
export function probesOf(check: Mapping, tell: ServiceTell): Record<string, object> | undefined {
  const { test } = check;
  const given = Array.isArray(test) ? test.map(textOf) : textIn(test) ? ['CMD-SHELL', textIn(test)!] : [];
  const [kind, ...rest] = given;
  if (isTrue(check.disable) || kind === 'NONE') return undefined;
  const command = kind === 'CMD-SHELL' ? ['sh', '-c', rest.join(' ')] : rest;
  if (!kind) {
    tell('CHANGED', 'healthcheck', 'The check of the image is not known: write its command.');
    return undefined;
  }
  const length = command.reduce((sum, word) => sum + word.length, 0);
  if (
    !/^CMD(-SHELL)?$/.test(kind) ||
    !command[0]?.trim() ||
    length > limits.length ||
    command.length > limits.words
  ) {
    tell('CHANGED', 'healthcheck', 'The command of the check cannot be taken over.');
    return undefined;
  }
  const whole = (key: string, initial: number) =>
    Math.min(limits.seconds, Math.max(1, Math.round(secondsOf(check[key]) || initial)));
  const failureThreshold = Math.min(
    limits.failures,
    Math.max(1, Math.round(Number(check.retries)) || defaults.retries),
  );
  const periodSeconds = whole('interval', defaults.interval);
  const timeoutSeconds = whole('timeout', defaults.timeout);
  const readiness = { command, periodSeconds, timeoutSeconds, failureThreshold };
  const start = secondsOf(check.start_period) ?? 0;
  if (start === 0) return { readiness };
  const every = whole('start_interval', periodSeconds);
  // The first check is at once, so that as many periods as fit in the time need one check more.
  const checks = Math.min(limits.failures, Math.max(Math.ceil(start / every) + 1, failureThreshold));
  const startup = { command, periodSeconds: every, timeoutSeconds, failureThreshold: checks };
  return { startup, readiness };
}
