import { property } from '../../../graphql/schema/exposed.ts';
import { objectType } from '../../../graphql/schema/object-type.ts';
import type { Configuration } from './model.ts';

const SetHeader = objectType<{ key: string; value: string }>('SetHeader', {
  description: 'A header that is set on each request.',
  exposes: {
    'key: String!': 'The name of the header.',
    'value: String!': 'The value of the header.',
  },
});

export const HttpRuleConfiguration = objectType<Configuration>('HttpRuleConfiguration', {
  description: 'The proxy settings of an HTTP rule.',
  exposes: {
    'bodySizeMB: Int!':
      'The maximum size of a request body, in MB. 0 means no limit. REST: `proxy_body_size`.',
    'bufferCount: Int!': 'The number of proxy buffers. REST: `proxy_buffer_numbers`.',
    'bufferSizeKB: Int!': 'The size of each proxy buffer, in KB. REST: `proxy_buffer_size`.',
    'isBuffered: Boolean!': 'Whether responses are buffered. REST: `proxy_buffering`.',
    'connectTimeoutSeconds: Int!':
      'The timeout for connecting to the component, in seconds. REST: `proxy_connect_timeout`.',
    'readTimeoutSeconds: Int!':
      'The timeout between two reads of a response, in seconds. REST: `proxy_read_timeout`.',
    'sendTimeoutSeconds: Int!':
      'The timeout between two writes of a request, in seconds. REST: `proxy_send_timeout`.',
    setHeaders: property([SetHeader], 'The headers that are set on each request. REST: `set_headers`.'),
  },
});
