import type { Dispatcher } from 'undici';
import { onDemand } from '../../kernel/on-demand.ts';
import type { AgentOptions } from './agent.ts';

/** The most interim responses (1xx) before a response. Servers send few, and each one takes time to parse. */
const maxInterim = 10;

/** An agent that is made for its first request: loading undici takes a twentieth of a start, and most starts call nobody. */
export function agentOnDemand(
  options: AgentOptions & {
    /** The error for a server that sends more interim responses than `most`. */
    interim: (most: number) => Error;
  },
) {
  let dispatcher: Dispatcher | undefined;
  const agent = onDemand(async () => {
    const { createAgent } = await import('./agent.ts');
    dispatcher = createAgent(options);
    return dispatcher;
  });
  return {
    async request(request: Omit<Dispatcher.RequestOptions, 'onInfo'>): Promise<Dispatcher.ResponseData> {
      let interim = 0;
      const onInfo = () => {
        if (++interim > maxInterim) throw options.interim(maxInterim);
      };
      return (await agent()).request({ ...request, onInfo });
    },
    /** Also ends running requests. */
    destroy: async () => dispatcher?.destroy(),
  };
}
