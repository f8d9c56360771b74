import { builder, restName } from '../../../graphql/schema/builder.ts';
import type { Configuration } from './model.ts';

const SetHeader = builder.objectRef<{ key: string; value: string }>('SetHeader').implement({
  description: 'A header that is set on each request.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'The name of the header.' }),
    value: t.exposeString('value', { description: 'The value of the header.' }),
  }),
});

export const HttpRuleConfiguration = builder.objectRef<Configuration>('HttpRuleConfiguration').implement({
  description: 'The proxy settings of an HTTP rule.',
  fields: (t) => ({
    bodySizeMB: t.exposeInt('bodySizeMB', {
      description: restName(
        'The maximum size of a request body, in MB. 0 means no limit.',
        'proxy_body_size',
      ),
    }),
    bufferCount: t.exposeInt('bufferCount', {
      description: restName('The number of proxy buffers.', 'proxy_buffer_numbers'),
    }),
    bufferSizeKB: t.exposeInt('bufferSizeKB', {
      description: restName('The size of each proxy buffer, in KB.', 'proxy_buffer_size'),
    }),
    isBuffered: t.exposeBoolean('isBuffered', {
      description: restName('Whether responses are buffered.', 'proxy_buffering'),
    }),
    connectTimeoutSeconds: t.exposeInt('connectTimeoutSeconds', {
      description: restName(
        'The timeout for connecting to the component, in seconds.',
        'proxy_connect_timeout',
      ),
    }),
    readTimeoutSeconds: t.exposeInt('readTimeoutSeconds', {
      description: restName('The timeout between two reads of a response, in seconds.', 'proxy_read_timeout'),
    }),
    sendTimeoutSeconds: t.exposeInt('sendTimeoutSeconds', {
      description: restName('The timeout between two writes of a request, in seconds.', 'proxy_send_timeout'),
    }),
    setHeaders: t.expose('setHeaders', {
      type: [SetHeader],
      description: restName('The headers that are set on each request.', 'set_headers'),
    }),
  }),
});
