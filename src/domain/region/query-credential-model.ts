import { z } from 'zod';
import type { Row } from '../../db/tables.ts';
import type { QueryCredentials } from '../../drivers/region/query-credentials.ts';
import type { Seal } from '../../kernel/seal.ts';
import { boundedString, invalid, line, text } from '../../kernel/validate.ts';
import { clusterOf } from './cluster-model.ts';

export const queryCredentials = z.strictObject({
  token: boundedString(16_384)
    .regex(/^[\x21-\x7e]+$/, 'Must have only visible ASCII characters')
    .nullish()
    .describe('The bearer token. Cannot be combined with `username` and `password`.'),
  username: line(255)
    .refine((value) => !value.includes(':'), 'Must not contain a colon')
    .nullish()
    .describe('The username in basic authentication, together with `password`.'),
  password: text(4_096).min(1).nullish().describe('The password in basic authentication.'),
  tenant: boundedString(150)
    .regex(/^[A-Za-z0-9!_.*'()|-]+$/, "Must consist of letters, digits and the characters !_.*'()|-")
    .nullish()
    .describe(
      'The tenant whose data is read, sent as `X-Scope-OrgID`. Only for servers with several tenants.',
    ),
});
type QueryCredentialsInput = z.infer<typeof queryCredentials>;

/** The servers of a region that are queried: their credentials in inputs and in the database, and their addresses. */
const servers = {
  metrics: { input: 'metricsCredentials', column: 'sealedMetricsCredentials', url: 'metricsUrl' },
  logs: { input: 'logsCredentials', column: 'sealedLogsCredentials', url: 'logsUrl' },
} as const;
type Server = (typeof servers)[keyof typeof servers];
export type QueryCredentialsInputs = {
  [input in Server['input']]?: QueryCredentialsInput | null | undefined;
};
type Columns = { [column in Server['column']]: string | null };

const replaced =
  'Replaces all of the credentials; null removes them. They cannot be read again, and are removed together with the address.';
export const queryCredentialFields = {
  metricsCredentials: queryCredentials
    .nullish()
    .describe(`The credentials for the server at \`cluster.metricsUrl\`. ${replaced}`),
  logsCredentials: queryCredentials
    .nullish()
    .describe(`The credentials for the server at \`cluster.logsUrl\`. ${replaced}`),
};

/** The credentials of the servers of a region, decrypted. */
export function queryCredentialsOf(seal: Pick<Seal, 'open'>, row: Columns) {
  const open = (sealed: string | null) =>
    sealed === null ? null : (JSON.parse(seal.open(sealed)) as QueryCredentials);
  return { metrics: open(row.sealedMetricsCredentials), logs: open(row.sealedLogsCredentials) };
}

/** The columns of the credentials after a change. The same credentials again change nothing. */
export function changedQueryCredentials(
  seal: Pick<Seal, 'open' | 'close'>,
  before: (Columns & Pick<Row<'Region'>, 'cluster'>) | null,
  cluster: string,
  inputs: QueryCredentialsInputs,
): Columns {
  const columnOf = ({ input, column, url }: Server): string | null => {
    const value = inputs[input];
    const stored = before?.[column] ?? null;
    const address = clusterOf({ cluster })[url];
    const path = ['input', input];
    if (value) {
      if (address === null) throw invalid(path, `Must not be set without \`cluster.${url}\``);
      const text = JSON.stringify(checked(value, path));
      return stored !== null && seal.open(stored) === text ? stored : seal.close(text);
    }
    if (value === null || stored === null || address === null) return null;
    // Otherwise, whoever may change the address could have them sent to a server of their own.
    if (before && originOf(clusterOf(before)[url]) !== originOf(address)) {
      throw invalid(path, `Must be set again, or to null, if \`cluster.${url}\` changes to another server`);
    }
    return stored;
  };
  return {
    sealedMetricsCredentials: columnOf(servers.metrics),
    sealedLogsCredentials: columnOf(servers.logs),
  };
}

const originOf = (url: string | null) => url && new URL(url).origin;

/** Credentials that can be used. INVALID_INPUT at the path for others. */
function checked(input: QueryCredentialsInput, path: string[]): QueryCredentials {
  const { token = null, username = null, password = null, tenant = null } = input;
  if (token !== null && (username !== null || password !== null)) {
    throw invalid([...path, 'token'], 'Must not be set together with `username` and `password`');
  }
  if (username === null && password !== null) {
    throw invalid([...path, 'username'], 'Must be set together with `password`');
  }
  if (username !== null && password === null) {
    throw invalid([...path, 'password'], 'Must be set together with `username`');
  }
  if (token === null && username === null && tenant === null) {
    throw invalid(path, 'Must have `token`, `username` and `password`, or `tenant`');
  }
  return { token, username, password, tenant };
}
