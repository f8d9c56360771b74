import { z } from 'zod';
import { dryRunField, expectedRevision, line, plannedChange, text } from '../../../kernel/validate.ts';
import { applicationRef } from '../../application/model.ts';
import { componentRef } from '../../component/model.ts';
import { portNumber, tcpRuleRef } from '../model.ts';
import { endpoint, mappedAddress } from './endpoint-model.ts';

export const tcpExtension = z.strictObject({
  key: line(256)
    .refine((value) => !/[:,]/.test(value), 'Must not contain `:` or `,`')
    .describe('The key.'),
  value: text(256)
    .refine((value) => !/,/.test(value), 'Must not contain `,`')
    .describe('The value.'),
});

export const createTcpRule = z.strictObject({
  application: applicationRef.describe('The application.'),
  component: componentRef.describe('The component, which must belong to the application.'),
  portNumber: portNumber.describe('The number of a port of the component. The rule opens it to the outside.'),
  endpoint: endpoint.describe(
    'The address to listen on, as `ip:port` with IPv6 addresses in brackets. `0.0.0.0` and `::` listen on all addresses and require a port of 30000 or higher.',
  ),
  mappedAddress: mappedAddress
    .nullish()
    .describe(
      'The external address that the endpoint is mapped to, as `ip:port` with IPv6 addresses in brackets. For display only.',
    ),
  extensions: z.array(tcpExtension).max(100).nullish().describe('The extensions.'),
  expectedPortRevision: expectedRevision('the port'),
  dryRun: dryRunField,
});
export type CreateTcpRule = z.infer<typeof createTcpRule>;

export const updateTcpRule = z.strictObject({
  rule: tcpRuleRef.describe('The rule to change. Omitted fields are unchanged.'),
  endpoint: endpoint
    .nullish()
    .describe('The address to listen on, as `ip:port`. Changing it makes a default rule a custom rule.'),
  mappedAddress: mappedAddress
    .nullish()
    .describe('The external address that the endpoint is mapped to, as `ip:port`. Set to null to remove it.'),
  extensions: z.array(tcpExtension).max(100).nullish().describe('The extensions.'),
  ...plannedChange('the rule'),
});
export type UpdateTcpRule = z.infer<typeof updateTcpRule>;
