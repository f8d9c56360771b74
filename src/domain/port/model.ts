import { z } from 'zod';
import { reference } from '../../kernel/reference.ts';
import { boundedString, dnsLabel, dryRunField, plannedChange } from '../../kernel/validate.ts';
import { componentRef } from '../component/model.ts';

/** A port number. @see https://www.rfc-editor.org/rfc/rfc6335#section-6 */
const number = (description: string) => z.int32().min(1).max(65_535).describe(description);

export const portAddress = z.strictObject({
  component: componentRef.describe('The component.'),
  number: number('The port number, from 1 to 65535.'),
});

export const portRef = reference('port', {
  at: portAddress.optional().describe('A component and a port number.'),
});
export type PortRef = z.infer<typeof portRef>;

/** The protocols of the contract. */
export const contractProtocol = z.enum(['tcp', 'http', 'mysql', 'grpc', 'udp']);
export const portProtocol = z.enum([...contractProtocol.options, 'tcp_udp']);
export type PortProtocol = z.infer<typeof portProtocol>;

/** The protocol that the contract has for a port: TCP for one that serves UDP as well. */
export const contractProtocolOf = (protocol: string) =>
  (protocol === 'tcp_udp' ? 'tcp' : protocol) as z.infer<typeof contractProtocol>;

/** Whether ports with this protocol are exposed by HTTP rules. Other protocols use TCP rules. */
export const isHttp = (protocol: string) => protocol === 'http' || protocol === 'grpc';

const alias = boundedString(64).regex(
  /^[A-Z][A-Z0-9_]*$/,
  'Must contain only upper-case letters, digits and `_`, and start with a letter',
);

export const addPort = z.strictObject({
  component: componentRef.describe('The component to add the port to.'),
  number: number('The port number, from 1 to 65535. Unique in the component.'),
  protocol: portProtocol.describe('The protocol.'),
  alias: alias
    .nullish()
    .describe(
      'The alias, unique in the component. Defaults to the component alias in upper case, with `_` for `-`, and the port number.',
    ),
  isInner: z.boolean().nullish().describe('Whether the port is open inside the cluster. Defaults to false.'),
  dryRun: dryRunField,
});
export type AddPort = z.infer<typeof addPort>;

/** A port to open, close or delete. */
export const onePort = z.strictObject({
  port: portRef.describe('The port.'),
  ...plannedChange('the port'),
});
export type OnePort = z.infer<typeof onePort>;

export const changePortProtocol = z.strictObject({
  port: portRef.describe('The port.'),
  protocol: portProtocol.describe('The new protocol.'),
  ...plannedChange('the port'),
});

export type ChangePortProtocol = z.infer<typeof changePortProtocol>;

export const changePortAlias = z.strictObject({
  port: portRef.describe('The port.'),
  alias: alias.describe('The new alias, unique in the component.'),
  serviceName: dnsLabel()
    .nullish()
    .describe('The new internal domain name of all ports of the component. Unchanged if omitted.'),
  ...plannedChange('the port'),
});

export type ChangePortAlias = z.infer<typeof changePortAlias>;

/** The actions that open and close a port, with the flag and value that each sets. They are allowed in any state. */
export const switches = {
  open_outer: { flag: 'isOuter', value: true, mutation: 'openOuterService' },
  close_outer: { flag: 'isOuter', value: false, mutation: 'closeOuterService' },
  open_inner: { flag: 'isInner', value: true, mutation: 'openInnerService' },
  close_inner: { flag: 'isInner', value: false, mutation: 'closeInnerService' },
} as const;
export type Switch = keyof typeof switches;

/** The default alias of a port: the component alias in upper case, with `_` for `-`, and the number. */
export const defaultAlias = (componentAlias: string, port: number) => {
  const suffix = `_${port}`;
  return `${componentAlias
    .toUpperCase()
    .replaceAll('-', '_')
    .slice(0, 64 - suffix.length)}${suffix}`;
};

export const portOrders = {
  NUMBER: ['number', 'id'],
  ALIAS: ['alias', 'id'],
} as const;
